/** Replaces what must not be read by anyone. Apply it before any text is cut: half a secret no longer looks like one. */
export type Redact = (text: string) => string;

/**
 * Hides the given secrets, as they are and in the forms in which programs print them (base64 at any alignment, URL-encoded, JSON-escaped),
 * and everything that has the shape of a token. Secrets under six characters are left alone: they would hide ordinary words.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.flatMap(linesOf).flatMap(formsOf))]
    .filter(form => form.length >= MIN_SECRET)
    .sort((one, other) => other.length - one.length);
  const exact =
    forms.length > 0
      ? new RegExp(forms.map(form => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
      : undefined;
  return text => {
    const known = exact ? text.replace(exact, HIDDEN) : text;
    return known.replace(TOKEN_SHAPES, HIDDEN);
  };
}

/** Redacts every string in plain data, so that a text is clean before a report cuts it. */
export function redactAll<T>(value: T, redact: Redact): T {
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return redact(part);
    if (Array.isArray(part)) return part.map(walk);
    if (part === null || typeof part !== 'object') return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [redact(key), walk(inner)]));
  };
  return walk(value) as T;
}

const HIDDEN = '***';
const MIN_SECRET = 6;

// GitHub's installation tokens are long, with dots and underscores, since April 2026: no length is assumed beyond the shortest.
const TOKEN_SHAPES =
  /(?<![A-Za-z0-9])(?:gh[opusr]_[A-Za-z0-9._-]{36,}|github_pat_[A-Za-z0-9_]{22,}|sk-[A-Za-z0-9_-]{20,})/g;

/** A secret of several lines (a private key) is printed line by line. */
const linesOf = (secret: string): string[] => [
  secret.trim(),
  ...secret
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line.length >= 16),
];

function formsOf(secret: string): string[] {
  if (secret.length < MIN_SECRET) return [];
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, json, encodeURIComponent(secret.toWellFormed()), ...base64Forms(secret)];
}

/** Base64 of the secret inside a longer text: three alignments, without the characters that its neighbours share. */
function base64Forms(secret: string): string[] {
  const forms = [0, 1, 2].map(shift => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]);
    const whole = bytes.toString('base64').replaceAll('=', '');
    const end = bytes.length % 3 === 0 ? whole.length : whole.length - 1;
    return whole.slice([0, 2, 3][shift], end);
  });
  return [...forms, ...forms.map(form => form.replaceAll('+', '-').replaceAll('/', '_'))];
}
