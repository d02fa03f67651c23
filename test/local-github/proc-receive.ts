/**
 * git's proc-receive hook of the local GitHub: decides about each pushed ref as GitHub does, in GitHub's own words.
 * What is allowed falls through to git itself. Run by git, with the rules in its environment.
 */
import { execFileSync } from 'node:child_process';
import { readSync, writeSync } from 'node:fs';

interface Push {
  readonly before: string;
  readonly after: string;
  readonly ref: string;
}

const ZERO = /^0+$/;
const rules = {
  mayChangeWorkflows: process.env.LOCAL_GITHUB_WORKFLOWS === 'write',
  pusher: process.env.LOCAL_GITHUB_PUSHER ?? '',
  protectedBranches: (process.env.LOCAL_GITHUB_PROTECTED ?? '').split('\n').filter(Boolean),
};

const asked = readPackets().map(packet => packet.split('\0')[0]?.trim());
if (!asked.includes('version=1')) throw new Error('git speaks another version of proc-receive');
send(['version=1']);
const pushes = readPackets().map(packet => {
  const [before = '', after = '', ref = ''] = packet.trim().split(' ');
  return { before, after, ref };
});
send(pushes.flatMap(push => answer(push.ref, refusal(push))));

function answer(ref: string, reason: string | undefined): string[] {
  return reason === undefined ? [`ok ${ref}`, 'option fall-through'] : [`ng ${ref} ${reason}`];
}

function refusal({ before, after, ref }: Push): string | undefined {
  if (ref.startsWith('refs/pull/')) return 'deny updating a hidden ref';
  if (rules.protectedBranches.includes(ref.replace(/^refs\/heads\//, ''))) {
    writeSync(2, `error: GH006: Protected branch update failed for ${ref}.\n`);
    writeSync(2, 'error: Changes must be made through a pull request.\n');
    return 'protected branch hook declined';
  }
  if (rules.mayChangeWorkflows || ZERO.test(after)) return undefined;
  const file = changedWorkflow(before, after);
  if (!file) return undefined;
  return `refusing to allow ${rules.pusher} to create or update workflow \`${file}\` without ${missing()}`;
}

function missing(): string {
  return rules.pusher.includes('App') ? '`workflows` permission' : '`workflow` scope';
}

/** The first workflow file that a commit changes which no branch has yet. */
function changedWorkflow(before: string, after: string): string | undefined {
  const known = ZERO.test(before) ? ['--not', '--all'] : [`^${before}`, '--not', '--all'];
  const commits = git(['rev-list', after, ...known])
    .split('\n')
    .filter(Boolean);
  for (const commit of commits) {
    const args = ['diff-tree', '--root', '--no-commit-id', '--name-only', '-r', '-m', commit];
    const [file] = git([...args, '--', '.github/workflows'])
      .split('\n')
      .filter(Boolean);
    if (file) return file;
  }
  return undefined;
}

function git(args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' });
}

/** Packets of git's line format up to a flush. */
function readPackets(): string[] {
  const packets: string[] = [];
  for (;;) {
    const length = Number.parseInt(readExactly(4).toString(), 16);
    if (length === 0) return packets;
    packets.push(readExactly(length - 4).toString());
  }
}

function readExactly(size: number): Buffer {
  const buffer = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    const count = readSync(0, buffer, at, size - at, null);
    if (count === 0) throw new Error('git closed the pipe');
    at += count;
  }
  return buffer;
}

function send(lines: readonly string[]): void {
  const packets = lines.map(line => `${(line.length + 5).toString(16).padStart(4, '0')}${line}\n`);
  writeSync(1, `${packets.join('')}0000`);
}
