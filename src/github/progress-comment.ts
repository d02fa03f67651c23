import type { GitHub } from './client.ts';
import { attempt, type GitHubError } from './github-error.ts';

/** GitHub takes 65,536 characters; the rest is for the mark and the notice. */
const MAX_CHARACTERS = 65_000;

export interface ProgressOptions {
  readonly issue: number;
  /** The hidden mark, as `runMark` makes it. */
  readonly mark: string;
  readonly body: string;
  /** Default 10,000: the least time between two edits. */
  readonly intervalMs?: number;
}

export type CommentEdit =
  | { readonly kind: 'edited' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly error: GitHubError };

/** The one comment of a run, edited in place by its id. */
export interface ProgressComment {
  readonly id: number;
  readonly url: string;
  /** Shows this text soon: at once, or when the interval is over, and then only the newest. Never throws. */
  readonly show: (body: string) => void;
  /** Stops the pace, waits for an edit under way, and shows this text as the last one. */
  readonly finish: (body: string) => Promise<CommentEdit>;
}

/**
 * The hidden first line of a run's comment: which run it is, and what it answers, such as `comment-12`. A second delivery of the same event
 * and a second round for the same commit are known by it.
 */
export const runMark = (runId: string, answers?: string): string =>
  `<!-- redgreen:run=${plain(runId)}${answers ? ` for=${plain(answers)}` : ''} -->`;

const plain = (text: string) => text.replaceAll(/[^\w.-]/g, '');

export interface RunMark {
  /** As it was given to `runMark`: run id, attempt and a random part, with hyphens between. */
  readonly run: string;
  readonly answers: string | undefined;
}

/** The mark of a comment's first line, if it has one. Anybody can write such a line: it proves nothing about its author. */
export function parseRunMark(body: string): RunMark | undefined {
  const match = /^<!-- redgreen:run=([\w.-]+)(?: for=([\w.-]+))? -->/.exec(body);
  return match?.[1] ? { run: match[1], answers: match[2] } : undefined;
}

/** Creates the comment, or says why the API refused it. */
export async function createProgressComment(
  github: GitHub,
  options: ProgressOptions,
): Promise<ProgressComment | GitHubError> {
  const { rest, owner, repo } = github;
  const body = withMark(options.body, options.mark);
  const created = await attempt(() =>
    rest.issues.createComment({ owner, repo, issue_number: options.issue, body }),
  );
  if (!created.ok) return created.error;
  const { id, html_url: url } = created.value.data;
  return { id: Number(id), url, ...pacedEdits(github, Number(id), options) };
}

/** Edits a run's comment from outside of the run: the post step knows its id alone. */
export async function editProgressComment(
  { rest, owner, repo }: GitHub,
  id: number,
  mark: string,
  body: string,
): Promise<CommentEdit> {
  const result = await attempt(() =>
    rest.issues.updateComment({ owner, repo, comment_id: id, body: withMark(body, mark) }),
  );
  if (result.ok) return { kind: 'edited' };
  const gone = result.error.kind === 'not-found' || result.error.kind === 'gone';
  return gone ? { kind: 'gone' } : { kind: 'refused', error: result.error };
}

function pacedEdits(github: GitHub, id: number, { mark, intervalMs = 10_000, body }: ProgressOptions) {
  let shown = body;
  let wanted = body;
  let timer: NodeJS.Timeout | undefined;
  let gone = false;
  let lastEdit = Date.now();
  let underWay: Promise<unknown> = Promise.resolve();

  const edit = async (text: string): Promise<CommentEdit> => {
    if (gone) return { kind: 'gone' };
    if (text === shown) return { kind: 'edited' };
    const result = await editProgressComment(github, id, mark, text);
    lastEdit = Date.now();
    if (result.kind === 'edited') shown = text;
    if (result.kind === 'gone') github.log('The progress comment was deleted; no other is written.');
    if (result.kind === 'refused') github.log(`The progress comment was not edited: ${result.error.message}`);
    gone = result.kind === 'gone';
    return result;
  };
  const flush = () => {
    underWay = edit(wanted)
      .catch(error => github.log(`The progress comment was not edited: ${error}`))
      .finally(() => {
        timer = undefined;
        if (wanted !== shown && !gone && !closed) schedule();
      });
  };
  const schedule = () => {
    // Not held by the timer: a run that is over need not wait for its own news.
    timer = setTimeout(flush, Math.max(0, lastEdit + intervalMs - Date.now())).unref();
  };
  let closed = false;
  return {
    show: (text: string) => {
      wanted = text;
      if (!timer && !closed && !gone) schedule();
    },
    finish: async (text: string) => {
      closed = true;
      clearTimeout(timer);
      await underWay;
      return edit(text);
    },
  };
}

/** The mark stands first, so that no cut removes it and no unclosed code fence shows it. */
const withMark = (body: string, mark: string) => `${mark}\n${cut(body)}`;

const cut = (body: string) =>
  body.length <= MAX_CHARACTERS
    ? body
    : `${body.slice(0, MAX_CHARACTERS).toWellFormed()}\n\n… (cut: the comment was longer than GitHub takes)`;
