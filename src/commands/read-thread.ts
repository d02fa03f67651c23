import { decidePermission } from '../events/permission.ts';
import { pullRequestOf, type Source, threadOf } from '../events/trigger.ts';
import type { GitHub } from '../github/client.ts';
import { type IssueComment, listComments } from '../github/comments.ts';
import { readPermission } from '../github/permissions.ts';
import { parseRunMark, type RunMark } from '../github/progress-comment.ts';
import { type PullRequestDetails, readPullRequest } from '../github/pull-request-details.ts';

/** The conversation that a run belongs to, as it is when the run begins. */
export interface Thread {
  readonly comments: readonly IssueComment[];
  /** The pull request that the run is about. */
  readonly pullRequest: PullRequestDetails | undefined;
  /** The marks of runs, in comments of apps and of people who may write here. */
  readonly marks: readonly RunMark[];
}

/** Reads both at once; nothing for a dispatch about no pull request. */
export async function readThread(github: GitHub, source: Source): Promise<Thread> {
  const [number, pull] = [threadOf(source), pullRequestOf(source)];
  const [listed, pullRequest] = await Promise.all([
    number === undefined ? { comments: [] } : listComments(github, number),
    pull === undefined ? undefined : readPullRequest(github, pull),
  ]);
  return { comments: listed.comments, pullRequest, marks: await readMarks(github, listed.comments) };
}

/** More people with marks of their own are nobody's workflow. */
const MAX_PEOPLE = 3;

/** Anybody can write a mark. With the token of a person ours stand in that person's comments, so people are asked about. */
async function readMarks(github: GitHub, comments: readonly IssueComment[]): Promise<readonly RunMark[]> {
  const marked = comments.flatMap(({ author, isBot, body }) => {
    const mark = parseRunMark(body);
    return mark ? [{ author, isBot, mark }] : [];
  });
  const people = [...new Set(marked.filter(({ isBot }) => !isBot).map(({ author }) => author))];
  const trusted = await Promise.all(
    people.slice(0, MAX_PEOPLE).map(async login => {
      const { allowed } = decidePermission({ login, ...(await readPermission(github, login)) });
      return allowed ? [login] : [];
    }),
  );
  const writers = new Set(trusted.flat());
  return marked.filter(({ author, isBot }) => isBot || writers.has(author)).map(({ mark }) => mark);
}
