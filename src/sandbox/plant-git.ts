import type { Place } from './place.ts';
import { quote } from './quote.ts';

/** Makes the work folder a repository of one commit, always the same for the same files. */
export async function plantGit(place: Place, tag: string | undefined): Promise<void> {
  const result = await place.run({ script: scriptFor(tag), timeoutMs: 300_000, ours: true });
  if (result.exit.kind !== 'code' || result.exit.code !== 0) {
    throw new Error(`git in the sandbox: ${JSON.stringify(result.exit)} ${result.stderr}`);
  }
}

/** The object format and the kind of refs are named, because without a config file git has to assume the old ones. */
const scriptFor = (tag: string | undefined): string => `
command -v git >/dev/null 2>&1 || exit 0
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
export GIT_DEFAULT_HASH=sha1 GIT_DEFAULT_REF_FORMAT=files
export GIT_AUTHOR_NAME=base GIT_AUTHOR_EMAIL=base@localhost GIT_AUTHOR_DATE='2000-01-01T00:00:00Z'
export GIT_COMMITTER_NAME=base GIT_COMMITTER_EMAIL=base@localhost GIT_COMMITTER_DATE='2000-01-01T00:00:00Z'
rm -rf .git
git -c init.defaultBranch=main init -q --template= . || exit 1
git -c gc.auto=0 -c core.safecrlf=false add -A || exit 1
git -c gc.auto=0 -c commit.gpgsign=false commit -q --no-verify --allow-empty -m base || exit 1
${tag === undefined ? '' : `git -c tag.gpgsign=false tag -a -m base -- ${quote(tag)} || exit 1`}
rm -rf .git/config .git/hooks .git/description .git/info
`;
