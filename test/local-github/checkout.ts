/** What `actions/checkout` leaves in the workspace, with `persist-credentials: false`. */
import { mkdir } from 'node:fs/promises';
import { gitEnv, run } from './process.ts';
import type { Repository, Token } from './state.ts';

export interface Checkout {
  readonly workspace: string;
  readonly serverUrl: string;
  readonly repository: Repository;
  readonly token: Token;
  /** Default 1; 0 is the whole history. */
  readonly depth?: number;
}

/** Fetches the default branch over HTTP and checks it out. The token stays in no file. Returns the commit. */
export async function checkout({
  workspace,
  serverUrl,
  repository,
  token,
  depth = 1,
}: Checkout): Promise<string> {
  const branch = repository.defaultBranch;
  const url = `${serverUrl}/${repository.owner.login}/${repository.name}`;
  const basic = Buffer.from(`x-access-token:${token.value}`).toString('base64');
  const git = async (...args: string[]) => {
    const result = await run('git', args, { cwd: workspace, env: gitEnv(workspace) });
    if (result.code !== 0) throw new Error(`checkout: git ${args[0]}: ${result.stderr}`);
    return result.stdout.toString().trim();
  };
  await mkdir(workspace, { recursive: true });
  await git('init', '--quiet', `--initial-branch=${branch}`, workspace);
  await git('remote', 'add', 'origin', url);
  await git('config', '--local', 'gc.auto', '0');
  const header = `http.${serverUrl}/.extraheader=AUTHORIZATION: basic ${basic}`;
  const fetch = ['fetch', '--quiet', '--no-tags', '--prune', '--no-recurse-submodules'];
  const wanted = `+refs/heads/${branch}:refs/remotes/origin/${branch}`;
  await git('-c', header, ...fetch, ...(depth > 0 ? [`--depth=${depth}`] : []), 'origin', wanted);
  await git('checkout', '--quiet', '--force', '-B', branch, `refs/remotes/origin/${branch}`);
  return git('rev-parse', 'HEAD');
}
