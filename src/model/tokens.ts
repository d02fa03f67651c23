/** A token count good enough for budgets where the endpoint reports none: UTF-8 bytes / 4, rounded up. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text, 'utf8') / 4);
