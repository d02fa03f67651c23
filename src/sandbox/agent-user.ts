import { UserError } from '../errors.ts';
import type { ExecResult } from '../types.ts';
import { type Engine, failureOf } from './engine.ts';
import { INSIDE, type Tools } from './place.ts';
import { parseFacts, TOOL_FACTS, toolsOf } from './tools-inside.ts';

/** Whom commands run as, and what stands before each of them. */
export interface AgentUser {
  /** For `docker exec -u`. */
  readonly user: string;
  /** `setpriv` with its option where the container allows new privileges and has the program; else nothing. */
  readonly wrapper: readonly string[];
  /** False when neither the container nor `setpriv` keeps a setuid program from becoming root. */
  readonly noNewPrivileges: boolean;
  readonly tools: Tools;
}

/** Makes our user and our folders in a running container: one root command, three where root may not give files away. */
export async function prepareAgentUser(engine: Engine, id: string, image: string): Promise<AgentUser> {
  const root = (script: string) => engine.run(['exec', '-u', '0:0', '-w', '/', id, 'sh', '-c', script]);
  const prepared = await prepareTwice(engine, id, root);
  if (prepared.exit.kind !== 'code' || prepared.exit.code !== 0)
    throw notPrepared(image, failureOf(prepared));
  const facts = parseFacts(prepared.stdout.toString());
  const tools = toolsOf(facts, image);
  const uid = facts.get('uid') ?? '';
  if (!UIDS.includes(uid)) throw notPrepared(image, 'every uid that could be ours is taken');
  const user = `${uid}:${uid}`;
  if (facts.get('owned') !== 'yes') {
    await engine.ask(['exec', '-u', user, '-w', '/', id, 'mkdir', ...FOLDERS]);
    await engine.ask(['exec', '-u', '0:0', '-w', '/', id, 'chmod', '755', INSIDE.root]);
  }
  const already = facts.get('nnp') === '1';
  const option = facts.get('setpriv') ?? '';
  const wrapper = already || option === '' ? [] : ['setpriv', option];
  return { user, wrapper, noNewPrivileges: already || wrapper.length > 0, tools };
}

type RunScript = (script: string) => Promise<ExecResult>;

/** What an earlier run left may be the agent's alone to delete: root without capabilities is nobody special either. */
async function prepareTwice(engine: Engine, id: string, root: RunScript): Promise<ExecResult> {
  const first = await root(PREPARE);
  const uid = parseFacts(first.stdout.toString()).get('uid') ?? '';
  if ((first.exit.kind === 'code' && first.exit.code === 0) || !UIDS.includes(uid)) return first;
  await emptyFolders(engine, id, `${uid}:${uid}`);
  return root(PREPARE);
}

/** Deletes what is in our folders, as their owner. */
export async function emptyFolders(engine: Engine, id: string, user: string): Promise<void> {
  const all = FOLDERS.flatMap(folder => [`${folder}/*`, `${folder}/.[!.]*`, `${folder}/..?*`]).join(' ');
  const script = `kill -9 -1; chmod -R u+rwX ${FOLDERS.join(' ')}; rm -rf ${all}`;
  await engine.run(['exec', '-u', user, '-w', '/', id, 'sh', '-c', script], { timeoutMs: 60_000 });
}

const UIDS = ['1001', '10001', '20001', '30001', '40001', '50001'];
const FOLDERS = [INSIDE.workdir, INSIDE.home, INSIDE.scratch];

/**
 * Picks the first uid that no line of passwd or group and no process has, the main one above all: the kill after each command
 * would end the container with it. Our own line of an earlier run in the same container is no hindrance.
 */
const PREPARE = `
umask 022
${TOOL_FACTS}
taken=' '
for file in /etc/passwd /etc/group; do
  [ -r $file ] && while IFS=: read -r name x number rest; do
    [ "$name" = redgreen ] || taken="$taken$number "
  done <$file
done
for status in /proc/[0-9]*/status; do
  [ -r $status ] && while read -r key number rest; do
    case $key in Uid:) taken="$taken$number "; break;; esac
  done <$status
done 2>/dev/null
for uid in ${UIDS.join(' ')} ''; do case $taken in *" $uid "*) ;; *) break;; esac; done
echo "uid=$uid"
while read -r key value; do case $key in NoNewPrivs:) echo "nnp=$value";; esac; done </proc/self/status
for option in --nnp --no-new-privs; do
  setpriv $option true >/dev/null 2>&1 && { echo "setpriv=$option"; break; }
done
[ -n "$uid" ] || exit 0
for file in passwd group; do
  own=
  [ -r /etc/$file ] && while IFS=: read -r name rest; do [ "$name" = redgreen ] && own=yes; done </etc/$file
  [ -n "$own" ] && continue
  case $file in
    passwd) echo "redgreen:x:$uid:$uid::${INSIDE.home}:/bin/sh" >>/etc/passwd;;
    group) echo "redgreen:x:$uid:" >>/etc/group;;
  esac || exit 1
done
rm -rf ${INSIDE.root} && mkdir -p ${INSIDE.root} ${FOLDERS.join(' ')} && chmod 755 ${INSIDE.root} || exit 1
if chown "$uid:$uid" ${FOLDERS.join(' ')} 2>/dev/null; then
  echo owned=yes
else
  rm -rf ${FOLDERS.join(' ')} && chmod 1777 ${INSIDE.root} || exit 1
fi
`;

const notPrepared = (image: string, why: string): UserError =>
  new UserError(
    `The sandbox (${image}) could not be prepared: ${why}.`,
    'Use an image with a POSIX shell and a writable root file system (no `--read-only`).',
  );
