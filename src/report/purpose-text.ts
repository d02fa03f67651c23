/** What a test run was for, as people read it: `debugger#2 asked` → `debugger, second attempt, asked`. Plain text. */
export const purposeText = (purpose: string): string =>
  purpose.replace(/^([a-z][a-z-]{0,30})#(\d{1,3})(?: |$)/, (found, role: string, attempt: string) => {
    const words = `${role}, ${ATTEMPTS[Number(attempt)] ?? `attempt ${Number(attempt)}`}`;
    return found.endsWith(' ') ? `${words}, ` : words;
  });

const ATTEMPTS: Readonly<Record<number, string>> = {
  2: 'second attempt',
  3: 'third attempt',
  4: 'fourth attempt',
  5: 'fifth attempt',
};
