/** The first thing that a gate's feedback says, for logs: with what follows when the first line only announces it. */
export function headline(feedback: string): string {
  const [first = '', second = ''] = feedback.split('\n');
  return first.endsWith(':') && second ? `${first} ${second.replace(/^- /, '')}` : first;
}
