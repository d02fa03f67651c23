import { createHash } from 'node:crypto';

export type ObjectFormat = 'sha1' | 'sha256';

/** The name that git gives these bytes as a blob. */
export const blobId = (format: ObjectFormat, bytes: Uint8Array): string =>
  createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** True for a full object name of either format; an abbreviated one is never accepted. */
export const isObjectId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

export const zeroId = (format: ObjectFormat): string => '0'.repeat(format === 'sha1' ? 40 : 64);

export const formatOf = (id: string): ObjectFormat => (id.length === 64 ? 'sha256' : 'sha1');

/** Throws for anything but a full object name, so that no text from outside is read as an option or a revision expression. */
export function assertObjectId(text: string): void {
  if (!isObjectId(text)) throw new Error(`not a full object name: ${JSON.stringify(text)}`);
}
