/** What `actions/checkout` leaves in the workspace, with `persist-credentials: false`. */
import { mkdir } from 'node:fs/promises';
import { gitEnv, run } from './process.ts';
import type { Repository, Token } from './state.ts';

export interface Checkout {
  readonly workspace: string;
  readonly serverUrl: string;
  readonly repository: Repository;
  readonly token: Token;
  /** What to check out: a branch, or `refs/pull/7/merge` as for the event `pull_request`. Default the default branch. */
  readonly ref?: string;
  /** Default 1; 0 is the whole history. */
  readonly depth?: number;
}

/** Fetches a branch or a pull request over HTTP and checks it out. The token stays in no file. Returns the commit. */
export async function checkout({
  workspace,
  serverUrl,
  repository,
  token,
  ref = repository.defaultBranch,
  depth = 1,
}: Checkout): Promise<string> {
  const isPull = ref.startsWith('refs/pull/');
  const branch = ref.replace(/^refs\/heads\//, '');
  const tracked = isPull ? ref.replace('refs/', 'refs/remotes/') : `refs/remotes/origin/${branch}`;
  const url = `${serverUrl}/${repository.owner.login}/${repository.name}`;
  const basic = Buffer.from(`x-access-token:${token.value}`).toString('base64');
  const git = async (...args: string[]) => {
    const result = await run('git', args, { cwd: workspace, env: gitEnv(workspace) });
    if (result.code !== 0) throw new Error(`checkout: git ${args[0]}: ${result.stderr}`);
    return result.stdout.toString().trim();
  };
  await mkdir(workspace, { recursive: true });
  await git('init', '--quiet', `--initial-branch=${repository.defaultBranch}`, workspace);
  await git('remote', 'add', 'origin', url);
  await git('config', '--local', 'gc.auto', '0');
  const header = `http.${serverUrl}/.extraheader=AUTHORIZATION: basic ${basic}`;
  const fetch = ['fetch', '--quiet', '--no-tags', '--prune', '--no-recurse-submodules'];
  const wanted = `+${isPull ? ref : `refs/heads/${branch}`}:${tracked}`;
  await git('-c', header, ...fetch, ...(depth > 0 ? [`--depth=${depth}`] : []), 'origin', wanted);
  // Of a pull request there is no branch to be on.
  await git('checkout', '--quiet', '--force', ...(isPull ? ['--detach'] : ['-B', branch]), tracked);
  return git('rev-parse', 'HEAD');
}
