/** The main job, end to end: a local GitHub, a small repository with an issue, the command as a comment, and the built action run as a runner would. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dockerEngine } from '../../test/helpers/docker-engine.ts';
import { nodeFor, type User, unprivilegedUser } from '../../test/helpers/unprivileged.ts';
import { checkout } from '../../test/local-github/checkout.ts';
import { issueCommentEvent, type WorkflowEvent, workflowRunEvent } from '../../test/local-github/events.ts';
import { FULL } from '../../test/local-github/fixture.ts';
import { type ActionResult, runAction } from '../../test/local-github/runner.ts';
import { type LocalGitHub, startLocalGitHub } from '../../test/local-github/server.ts';
import type { Issue, Repository } from '../../test/local-github/state.ts';
import { buildHostImage } from '../host-image.ts';

export interface DemoTask {
  /** Folder with the files of the repository. */
  readonly sample: string;
  readonly name: string;
  readonly issue: { readonly title: string; readonly body: string };
  readonly command: string;
  /** Folder with the files of a pull request's head; then the issue's text is that of the pull request. */
  readonly head?: string;
  /** Log of a job that failed at the head; then nobody comments, and the failed run is the event. */
  readonly log?: string;
}

export interface DemoOptions {
  readonly task: DemoTask;
  readonly model: { readonly baseUrl: string | undefined; readonly apiKey: string; readonly name: string };
  readonly inputs?: Readonly<Record<string, string>>;
  /** Adds Python to the sandbox's image. */
  readonly python?: boolean;
  /** Adds npm to it. */
  readonly npm?: boolean;
  readonly say: (line: string) => void;
}

export interface Demo {
  readonly result: ActionResult;
  readonly github: LocalGitHub;
  readonly repository: Repository;
  readonly issue: Issue;
  /** Everything that the run left. */
  readonly folder: string;
}

const ROOT = join(import.meta.dirname, '../..');

export async function runDemo(options: DemoOptions): Promise<Demo> {
  const { task, say } = options;
  const folder = mkdtempSync(join(tmpdir(), 'redgreen-demo-'));
  chmodSync(folder, 0o755);
  const user = unprivilegedUser();
  const sandbox = await chooseSandbox(options, user);
  say(`Sandbox: ${sandbox.why}`);
  const github = await startLocalGitHub({ folder: join(folder, 'repositories') });
  const repository = await github.addRepository({
    owner: 'octo-org',
    name: task.name,
    files: filesBelow(task.sample),
    collaborators: { mona: 'write' },
  });
  const { issue, event } = await openConversation(github, repository, task);
  const token = github.token(FULL);
  const workspace = join(folder, 'runner', 'work');
  const sha = await checkout({ workspace, serverUrl: github.serverUrl, repository, token });
  say(
    `${github.serverUrl}/octo-org/${task.name}/${task.head ? 'pull' : 'issues'}/${issue.number}  ${task.issue.title}`,
  );
  say(task.log ? 'A workflow run of the pull request failed.\n' : `mona comments: ${task.command}\n`);
  using stop = stopOnSignals(say);
  const result = await runAction({
    action: ROOT,
    cancel: stop.signal,
    folder: join(folder, 'runner', 'host'),
    workspace,
    event,
    github,
    repository,
    token,
    sha,
    inputs: {
      'openai-api-key': options.model.apiKey,
      model: options.model.name,
      ...(options.model.baseUrl !== undefined && { 'base-url': options.model.baseUrl }),
      ...sandbox.inputs,
      ...options.inputs,
    },
    ...(process.env.DOCKER_HOST && { env: { DOCKER_HOST: process.env.DOCKER_HOST } }),
    ...(user && { user, node: nodeFor(folder) }),
    onOutput: (_step, text) => sayLog(text, say),
  });
  rmSync(join(folder, 'node'), { force: true });
  return { result, github, repository, issue, folder };
}

/** Passes a signal to this process on to the action as a cancellation, so that its post step runs and leaves nothing behind. */
function stopOnSignals(say: DemoOptions['say']): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  // More than once, because npm and the terminal each send theirs: the second must not end this process before the post step.
  const stop = () => {
    if (!controller.signal.aborted) say('Cancelling; the post step cleans up.');
    controller.abort();
  };
  const names = ['SIGINT', 'SIGTERM'] as const;
  for (const name of names) process.on(name, stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const name of names) process.off(name, stop);
    },
  };
}

/** An issue or a pull request, and the event that starts the run. */
async function openConversation(
  github: LocalGitHub,
  repository: Repository,
  task: DemoTask,
): Promise<{ readonly issue: Issue; readonly event: WorkflowEvent }> {
  const issue = task.head
    ? await github.addPullRequest(repository, {
        ...task.issue,
        author: 'mona',
        head: { branch: 'topic', files: differences(filesBelow(task.sample), filesBelow(task.head)) },
      })
    : github.addIssue(repository, { ...task.issue, author: 'visitor' });
  if (task.log !== undefined && issue.pull) {
    const run = github.addWorkflowRun(repository, {
      event: 'pull_request',
      headSha: issue.pull.headSha,
      headBranch: 'topic',
      jobs: [{ name: 'test', conclusion: 'failure', steps: { 'Run tests': 'failure' }, log: task.log }],
    });
    return { issue, event: workflowRunEvent(github, repository, run) };
  }
  const comment = github.addComment(repository, { issue: issue.number, body: task.command, author: 'mona' });
  return { issue, event: issueCommentEvent(github, repository, comment) };
}

/** Path → new text, or null for a file that is gone. */
function differences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const gone = Object.keys(before).filter(path => !(path in after));
  return {
    ...Object.fromEntries(Object.entries(after).filter(([path, text]) => before[path] !== text)),
    ...Object.fromEntries(gone.map(path => [path, null])),
  };
}

/** The runner's own commands as a reader of its page sees them: secrets to mask are never shown, groups are headings. */
function sayLog(text: string, say: (line: string) => void): void {
  for (const line of text.replace(/\n$/, '').split('\n')) {
    if (line.startsWith('::add-mask::') || line === '::endgroup::') continue;
    say(line.replace(/^::group::/, '\n▸ ').replace(/^::warning::/, 'Warning: '));
  }
}

/** Text files of a folder, by relative path. */
function filesBelow(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  return Object.fromEntries(
    entries.map(entry => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(root.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

async function chooseSandbox(
  options: DemoOptions,
  user: User | undefined,
): Promise<{ readonly why: string; readonly inputs: Record<string, string> }> {
  const engine = await dockerEngine();
  if (engine.available) {
    const image = await buildHostImage({ python: options.python ?? false, npm: options.npm ?? false });
    return {
      why: `docker, image ${image} made from this machine's own programs`,
      inputs: { sandbox: 'docker', image },
    };
  }
  const probe = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true'], {
    stdio: 'ignore',
    ...user,
  });
  if (probe.status === 0)
    return { why: 'bubblewrap (no Docker engine answers)', inputs: { sandbox: 'bubblewrap' } };
  return {
    why: 'unsafe-local: NOT isolated, because neither a Docker engine nor bubblewrap is to be had here. Only for this demonstration.',
    inputs: { sandbox: 'unsafe-local' },
  };
}
