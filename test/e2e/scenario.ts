/** One run of the built action as on a runner, against a local GitHub, with the model scripted or replayed. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecording } from '../../src/model/replay.ts';
import type { RecordedEvent } from '../../src/run-events.ts';
import type { ReplayEndpoint } from '../helpers/replay-endpoint.ts';
import { startReplayEndpoint } from '../helpers/replay-endpoint.ts';
import { nodeFor, unprivilegedUser } from '../helpers/unprivileged.ts';
import { checkout } from '../local-github/checkout.ts';
import { issueCommentEvent, type WorkflowEvent, workflowDispatchEvent } from '../local-github/events.ts';
import { FULL } from '../local-github/fixture.ts';
import { type ActionResult, type ActionRun, runAction } from '../local-github/runner.ts';
import { type LocalGitHub, startLocalGitHub } from '../local-github/server.ts';
import type { Issue, Permissions, Repository, Settings, Token } from '../local-github/state.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The recorded run's answers. */
export const recordingText = (): string =>
  readFileSync(join(ROOT, 'test/recordings/tiny-text.jsonl'), 'utf8');
export const startRecorded = (): Promise<ReplayEndpoint> =>
  startReplayEndpoint(readRecording(recordingText()));

export interface World {
  readonly folder: string;
  readonly github: LocalGitHub;
  readonly repository: Repository;
  readonly issue: Issue;
  readonly run: (
    options: RunOptions,
  ) => Promise<ActionResult & { readonly events: readonly RecordedEvent[] }>;
  readonly comments: () => readonly string[];
  readonly reactions: (commentId: number) => readonly string[];
  readonly close: () => Promise<void>;
}

export interface RunOptions {
  /** Default `/agent implement`, by mona. */
  readonly comment?: string;
  readonly author?: string;
  /** Number of the issue or pull request that is commented on. Default the world's issue. */
  readonly on?: number;
  /** In place of a comment: any other event. */
  readonly event?: WorkflowEvent;
  /** The token of the job; then `permissions` is not looked at. */
  readonly token?: Token;
  /** In place of a comment. */
  readonly dispatch?: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly permissions?: Permissions;
  /** Commits of the checkout; 0 is all of them. Default 1. */
  readonly depth?: number;
  /** Id of the workflow run. Default: one of its own. */
  readonly runId?: number;
  readonly more?: Partial<Pick<ActionRun, 'cancel' | 'onStart' | 'onOutput' | 'env'>>;
  /** Puts untracked files into the checkout, as an earlier step of the job would. */
  readonly prepareWorkspace?: (workspace: string) => void;
  /** Told the comment's id before the run. */
  readonly onComment?: (id: number) => void;
}

export { FULL };

export interface WorldOptions {
  readonly settings?: Partial<Settings>;
  /** Default the files of the sample. */
  readonly files?: Readonly<Record<string, string>>;
}

export async function createWorld({
  settings = {},
  files = sampleFiles(),
}: WorldOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'redgreen-e2e-'));
  chmodSync(folder, 0o755);
  const github = await startLocalGitHub({ folder: join(folder, 'repositories') });
  const repository = await github.addRepository({
    owner: 'octo-org',
    name: 'tiny-text',
    files,
    collaborators: { mona: 'write', reader: 'read' },
    settings,
  });
  const issue = github.addIssue(repository, {
    title: 'Add slugify(text, options)',
    body: 'Like `slugify("A b")` → `a-b`.',
    author: 'visitor',
  });
  let count = 0;
  return {
    folder,
    github,
    repository,
    issue,
    run: options =>
      runIn({ folder: join(folder, `run-${++count}`), github, repository, issue, options, number: count }),
    comments: () =>
      [...repository.comments.values()]
        .filter(comment => comment.user.login.endsWith('[bot]'))
        .map(comment => comment.body),
    reactions: id => (repository.comments.get(id)?.reactions ?? []).map(reaction => reaction.content),
    close: async () => {
      await github.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function sampleFiles(): Record<string, string> {
  const root = join(ROOT, 'test/samples/tiny-text');
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  return Object.fromEntries(
    entries.map(entry => [
      join(entry.parentPath, entry.name).slice(root.length + 1),
      readFileSync(join(entry.parentPath, entry.name), 'utf8'),
    ]),
  );
}

interface Place {
  readonly folder: string;
  readonly github: LocalGitHub;
  readonly repository: Repository;
  readonly issue: Issue;
  readonly options: RunOptions;
  readonly number: number;
}

async function runIn({ folder, github, repository, issue, options, number }: Place) {
  const token = options.token ?? github.token(options.permissions ?? FULL);
  const workspace = join(folder, 'work');
  const sha = await checkout({
    workspace,
    serverUrl: github.serverUrl,
    repository,
    token: github.token(FULL),
    ...(options.depth !== undefined && { depth: options.depth }),
  });
  options.prepareWorkspace?.(workspace);
  const user = unprivilegedUser();
  const result = await runAction({
    action: ROOT,
    folder: join(folder, 'runner'),
    workspace,
    event: eventOf(github, repository, issue, options),
    github,
    repository,
    token,
    sha,
    runId: options.runId ?? 7_000_000_000 + number + Math.floor(Math.random() * 1e6) * 100,
    inputs: { model: 'recorded', sandbox: 'unsafe-local', ...options.inputs },
    ...(user && { user, node: nodeFor(folder) }),
    ...options.more,
    env: { ...(process.env.DOCKER_HOST && { DOCKER_HOST: process.env.DOCKER_HOST }), ...options.more?.env },
  });
  return { ...result, events: readEvents(result.outputs.trajectory) };
}

function eventOf(
  github: LocalGitHub,
  repository: Repository,
  issue: Issue,
  options: RunOptions,
): WorkflowEvent {
  if (options.event) return options.event;
  if (options.dispatch)
    return workflowDispatchEvent(github, repository, github.addUser('mona'), options.dispatch);
  const comment = github.addComment(repository, {
    issue: options.on ?? issue.number,
    body: options.comment ?? '/agent implement',
    author: options.author ?? 'mona',
  });
  options.onComment?.(comment.id);
  return issueCommentEvent(github, repository, comment);
}

const readEvents = (path: string | undefined): RecordedEvent[] =>
  path && existsSync(path)
    ? readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as RecordedEvent)
    : [];
