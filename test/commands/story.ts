/** The real story of `implement`: real git, a real sandbox, real runs of node:test. Only the model is scripted. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type BudgetLimits, openBudget } from '../../src/agents/budget.ts';
import type { Deps, Settings, WorkResult } from '../../src/commands/deps.ts';
import { implementCommand } from '../../src/commands/implement.ts';
import { openProject, type Project } from '../../src/commands/project.ts';
import { openRepository } from '../../src/git/repository.ts';
import type { ModelRequest } from '../../src/model/model.ts';
import type { RunEvent } from '../../src/run-events.ts';
import { openSandbox } from '../../src/sandbox/open-sandbox.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';

/** The node of the tests first: what is on the path may be older. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`;

export type Script = Parameters<typeof scriptedModel>[0];

export interface StoryOptions {
  /** Beside or in place of `SAMPLE`'s. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files of `SAMPLE` that this repository lacks. */
  readonly without?: readonly string[];
  /** These are executable in the base. */
  readonly executable?: readonly string[];
  readonly settings?: Partial<Settings>;
  readonly limits?: Partial<BudgetLimits>;
  readonly signal?: AbortSignal;
  readonly sandbox?: Partial<SandboxOptions>;
  readonly onEvent?: (event: RunEvent) => void;
  /** In place of `implement`. `base` is the commit before the files of `options.head`, if there are any. */
  readonly command?: (deps: Deps, base: Project) => Promise<WorkResult>;
  /** A second commit over the first: the work then starts from it. */
  readonly head?: Readonly<Record<string, string>>;
  /** Sees the agent's own sandbox when it is open. */
  readonly onSandbox?: (sandbox: Sandbox, options: SandboxOptions) => void;
}

export interface Story {
  /** Undefined when the command threw; then `error` is what it threw. */
  readonly result: WorkResult;
  readonly error: unknown;
  readonly events: readonly RunEvent[];
  readonly requests: readonly ModelRequest[];
  /** What the gates said, in order: `specification: yes (…)`. */
  readonly gates: readonly string[];
  /** Results of a role's tool calls as its model read them, in order. The end of a conversation is read by nobody. */
  readonly read: (role: string) => readonly string[];
  /** Names below the sandbox's host folder when everything had ended. */
  readonly leftFolders: readonly string[];
  /** Processes that carry the run's mark when everything had ended. */
  readonly leftProcesses: readonly string[];
}

/** A repository small enough to be tested in the blink of an eye. */
export const SAMPLE: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'tiny', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  '.gitignore': 'dist/\n*.log\n',
  '.github/workflows/ci.yml': 'on: push\n',
  'src/text.js': "/** Loud. */\nexport const shout = text => text.toUpperCase() + '!';\n",
  'test/text.test.js': `import assert from 'node:assert';
import { test } from 'node:test';
import { shout } from '../src/text.js';

test('shout is loud', () => {
  assert.equal(shout('a'), 'A!');
});
`,
};

/** Plays a script through the whole command. Throws nothing: what the command threw is in the story. */
export async function playStory(script: Script, options: StoryOptions = {}): Promise<Story> {
  const ground = mkdtempSync(join(tmpdir(), 'redgreen-story-'));
  try {
    return await playOn(ground, script, options);
  } finally {
    rmSync(ground, { recursive: true, force: true });
  }
}

async function playOn(ground: string, script: Script, options: StoryOptions): Promise<Story> {
  const [workspace, gitFolder, hostFolder] = ['workspace', 'git', 'sandbox'].map(name => join(ground, name));
  if (!workspace || !gitFolder || !hostFolder) throw new Error('unreachable');
  for (const folder of [workspace, gitFolder, hostFolder]) mkdirSync(folder);
  const sample = Object.entries(SAMPLE).filter(([path]) => !options.without?.includes(path));
  const files = { ...Object.fromEntries(sample), ...options.files };
  const first = commit(workspace, files, options.executable ?? []);
  const base = options.head ? commit(workspace, options.head, [], 'second') : first;
  const signal = options.signal;
  const repository = await openRepository({
    workspace,
    folder: gitFolder,
    path: PATH,
    ...(signal && { signal }),
  });
  const events: RunEvent[] = [];
  const model = scriptedModel(script);
  const runLabel = `Story-${randomBytes(6).toString('hex')}`;
  const emit = (event: RunEvent) => {
    events.push(event);
    options.onEvent?.(event);
  };
  const sandboxOptions: SandboxOptions = {
    kind: 'unsafe-local',
    container: undefined,
    image: undefined,
    runLabel,
    hostFolder,
    hostPath: PATH,
    dockerHost: process.env.DOCKER_HOST,
    note: (level, text) => emit({ kind: 'note', level, text }),
    ...(signal && { signal }),
    ...options.sandbox,
  };
  const deps: Deps = {
    project: await openProject(repository, base),
    model,
    budget: openBudget({
      maxSteps: 200,
      maxTokens: 1e7,
      maxCostUsd: 100,
      deadline: Date.now() + 600_000,
      ...options.limits,
    }),
    emit,
    signal,
    keep: () => undefined,
    openSandbox: async () => {
      const sandbox = await openSandbox(sandboxOptions);
      options.onSandbox?.(sandbox, sandboxOptions);
      return sandbox;
    },
    settings: {
      rootSetupCommand: undefined,
      setupCommand: undefined,
      testCommand: undefined,
      workingDirectory: undefined,
      included: [],
      proofMinutes: 1,
      deadline: Date.now() + 600_000,
      ...options.settings,
    },
  };
  const start = options.command && (await openProject(repository, first));
  const ended = await outcomeOf(deps, options.command && start && (() => options.command?.(deps, start)));
  return {
    ...ended,
    events,
    requests: model.requests,
    gates: events.flatMap(event =>
      event.kind === 'gate-decided'
        ? [`${event.gate}: ${event.passed ? 'yes' : 'no'} (${event.reason})`]
        : [],
    ),
    read: role => readBy(model.requests, role),
    leftFolders: readdirSync(hostFolder).filter(name => name !== 'docker-config'),
    leftProcesses: markedWith(runLabel),
  };
}

async function outcomeOf(
  deps: Deps,
  command: (() => Promise<WorkResult> | undefined) | undefined,
): Promise<{ readonly result: WorkResult; readonly error: unknown }> {
  const task = {
    source: 'issue #1',
    title: 'Add slugify',
    body: 'slugify("A b") is "a-b"',
    words: '',
    comments: [],
  };
  try {
    const result = (await command?.()) ?? (await implementCommand({ task }, deps));
    return { result, error: undefined };
  } catch (error) {
    return { result: undefined as unknown as WorkResult, error };
  }
}

function commit(
  workspace: string,
  files: Readonly<Record<string, string>>,
  executable: readonly string[],
  message = 'first',
): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text, { mode: executable.includes(path) ? 0o755 : 0o644 });
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: workspace,
      encoding: 'utf8',
      env: { PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all', '--force');
  git('commit', '--quiet', `--message=${message}`);
  return git('rev-parse', 'HEAD');
}

function readBy(requests: readonly ModelRequest[], role: string): readonly string[] {
  const last = requests.findLast(request => request.role === role);
  return (last?.messages ?? []).flatMap(message => (message.role === 'tool' ? [message.content] : []));
}

function markedWith(runLabel: string): string[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc').filter(name => /^\d+$/.test(name) && environmentOf(name).includes(runLabel));
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
