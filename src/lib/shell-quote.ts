/** One word of a POSIX shell, whatever is in it. */
export const shellQuote = (word: string): string =>
  /^[A-Za-z0-9_/.:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
