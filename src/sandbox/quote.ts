/** One word of a POSIX shell, whatever is in it. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
