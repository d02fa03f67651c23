import type { GitHub } from './client.ts';
import { must } from './github-error.ts';

export interface IssueComment {
  readonly id: number;
  /** `ghost` when the account is gone. */
  readonly author: string;
  readonly isBot: boolean;
  readonly body: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Folded away by a maintainer, as spam for instance. */
  readonly minimized: boolean;
  readonly url: string;
}

const PER_PAGE = 100;

/** The newest 200 comments of an issue (two pages at most), oldest first. `leftOut` is true when there were more. */
export async function listComments(
  { rest, owner, repo }: GitHub,
  issue: number,
): Promise<{ readonly comments: readonly IssueComment[]; readonly leftOut: boolean }> {
  const read = (page: number) =>
    must(`Reading the comments of #${issue}`, () =>
      rest.issues.listComments({ owner, repo, issue_number: issue, per_page: PER_PAGE, page }),
    );
  const first = await read(1);
  const last = lastPage(first.headers.link);
  const pages = last === 1 ? [first] : [last === 2 ? first : await read(last - 1), await read(last)];
  return { comments: pages.flatMap(page => page.data.map(commentOf)), leftOut: last > 2 };
}

/** `minimized` is newer than the types of Octokit. */
type Row = Awaited<ReturnType<GitHub['rest']['issues']['listComments']>>['data'][number] & {
  readonly minimized?: unknown;
};

const commentOf = (row: Row): IssueComment => ({
  id: Number(row.id),
  author: row.user?.login ?? 'ghost',
  isBot: row.user?.type === 'Bot',
  body: row.body ?? '',
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  minimized: row.minimized != null,
  url: row.html_url,
});

/** Only a first page that has followers names the last one. */
const lastPage = (link = ''): number => Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(link)?.[1] ?? 1);
