/** A heading and what stands under it, in Markdown of ours; empty when there is nothing to stand there. */
export const section = (title: string, body: string): string =>
  body === '' ? '' : `### ${title}\n\n${body}`;
