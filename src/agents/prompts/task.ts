import { quotedData } from './quoted-data.ts';

export interface TaskText {
  /** `issue #12` or `workflow_dispatch`. */
  readonly source: string;
  readonly title: string;
  readonly body: string;
  /** The words after the command, if any. */
  readonly words: string;
  readonly comments: readonly { readonly author: string; readonly text: string }[];
}

/** What was asked, as data. */
export const taskPrompt = (task: TaskText): string =>
  [
    '# The request',
    quotedData(task.source, `${task.title}\n\n${task.body}`),
    ...task.comments.map(comment => quotedData(`comment by ${comment.author}`, comment.text)),
    ...(task.words ? [`The person who started this run added:\n${quotedData('command', task.words)}`] : []),
  ].join('\n');
