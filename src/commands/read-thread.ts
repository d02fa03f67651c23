import { pullRequestOf, type Source, threadOf } from '../events/trigger.ts';
import type { GitHub } from '../github/client.ts';
import { type IssueComment, listComments } from '../github/comments.ts';
import { parseRunMark, type RunMark } from '../github/progress-comment.ts';
import { type PullRequestDetails, readPullRequest } from '../github/pull-request-details.ts';

/** The conversation that a run belongs to, as it is when the run begins. */
export interface Thread {
  readonly comments: readonly IssueComment[];
  /** The pull request that the run is about. */
  readonly pullRequest: PullRequestDetails | undefined;
}

/** Reads both at once; nothing for a dispatch about no pull request. */
export async function readThread(github: GitHub, source: Source): Promise<Thread> {
  const [number, pull] = [threadOf(source), pullRequestOf(source)];
  const [listed, pullRequest] = await Promise.all([
    number === undefined ? { comments: [] } : listComments(github, number),
    pull === undefined ? undefined : readPullRequest(github, pull),
  ]);
  return { comments: listed.comments, pullRequest };
}

/** The marks of runs in a conversation. Anybody can write one: they may stop a run, never start one. */
export const marksIn = ({ comments }: Thread): readonly RunMark[] =>
  comments.flatMap(comment => parseRunMark(comment.body) ?? []);
