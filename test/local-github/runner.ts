/** Runs a JavaScript action as GitHub's runner does: its files, variables, clean environment, and the post step at the end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { dirname, join } from 'node:path';
import { type ActionFile, readActionFile } from './action-yml.ts';
import type { WorkflowEvent } from './events.ts';
import { refsOf } from './run-refs.ts';
import { fullName, type Repository, type State, type Token, type WorkflowRun } from './state.ts';
import { type Log, readKeyValues, readLog } from './workflow-commands.ts';
import { addWorkflowRun, finishRun } from './workflow-runs.ts';

export interface ActionRun {
  /** The folder with action.yml and dist/. Both are copied away, so nothing beside them can be used. */
  readonly action: string;
  /** An empty or new folder for everything that the runner keeps. */
  readonly folder: string;
  /** The checkout, `GITHUB_WORKSPACE`. */
  readonly workspace: string;
  readonly event: WorkflowEvent;
  /** With its state, the run is one that the API knows: `POST …/cancel` then cancels it. */
  readonly github: { readonly apiUrl: string; readonly serverUrl: string; readonly state?: State };
  readonly repository: Repository;
  /** What `${{ github.token }}` stands for. Masked in the log. */
  readonly token: Token;
  readonly inputs?: Readonly<Record<string, string>>;
  /** Commit of the workflow run. */
  readonly sha?: string;
  readonly runId?: number;
  /** Variables of the job beyond the runner's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** The node binary that stands for the runner's own. Default: this process's. */
  readonly node?: string;
  /** Only where this process may become others: the action runs as that user, who gets all folders. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Cancels the run: SIGINT, SIGTERM after 7.5 s, SIGKILL after 2.5 s more. The post step runs then too. */
  readonly cancel?: AbortSignal;
  /** The running process of each step, to watch or to kill. */
  readonly onStart?: (step: 'main' | 'post', child: ChildProcess) => void;
  readonly onOutput?: (step: 'main' | 'post', text: string) => void;
}

export interface StepResult extends Log {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** As written, nothing masked or taken out. */
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

export interface ActionResult {
  readonly main: StepResult;
  /** Absent when action.yml names no post step. */
  readonly post: StepResult | undefined;
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  /** Of both steps, one after the other. */
  readonly summary: string;
}

/** Runs the main step and then, whatever became of it, the post step. */
export async function runAction(wanted: ActionRun): Promise<ActionResult> {
  const cancelled = new AbortController();
  const run = registerRun(wanted, () => cancelled.abort());
  const cancel = AbortSignal.any([cancelled.signal, ...(wanted.cancel ? [wanted.cancel] : [])]);
  const job = await prepareJob({ ...wanted, cancel });
  const main = await runStep(job, 'main', job.file.main, {});
  const text = async (name: string) => readFile(join(job.commands, name), 'utf8');
  const outputs = readKeyValues(await text('output_main'));
  const state = readKeyValues(await text('state_main'));
  const variables = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]);
  const post = job.file.post
    ? await runStep(job, 'post', job.file.post, Object.fromEntries(variables))
    : undefined;
  const failed = [main, post].some(step => step && step.exitCode !== 0);
  if (run) finishRun(run, cancel.aborted ? 'cancelled' : failed ? 'failure' : 'success');
  const summary = (await text('step_summary_main')) + (post ? await text('step_summary_post') : '');
  return { main, post, outputs, state, summary };
}

const DEFAULT_RUN_ID = 8_000_000_001;

/** Makes the run known to the API, unless the test has done so. */
function registerRun(wanted: ActionRun, onCancel: () => void): WorkflowRun | undefined {
  const { repository, event, github, runId = DEFAULT_RUN_ID } = wanted;
  if (!github.state) return undefined;
  const { headSha, headBranch } = refsOf(wanted);
  const { issue, pull_request: pull } = event.payload as Record<string, { title?: string } | undefined>;
  const run =
    repository.runs.get(runId) ??
    addWorkflowRun(github.state, repository, {
      id: runId,
      workflow: 'agent',
      event: event.name,
      status: 'in_progress',
      displayTitle: (issue ?? pull)?.title ?? 'agent',
      headSha,
      headBranch,
      actor: senderOf(wanted).login,
    });
  run.onCancel ??= onCancel;
  return run;
}

const senderOf = ({ event }: ActionRun) => event.payload.sender as { login: string; id: number };

interface Job {
  readonly wanted: ActionRun;
  readonly file: ActionFile;
  readonly actionFolder: string;
  readonly commands: string;
  readonly env: Readonly<Record<string, string>>;
}

async function prepareJob(wanted: ActionRun): Promise<Job> {
  const file = await readActionFile(wanted.action);
  const unexpected = Object.keys(wanted.inputs ?? {}).filter(name => !file.inputs.has(name));
  if (unexpected.length > 0) throw new Error(`Unexpected input(s) '${unexpected.join("', '")}'`);
  const temp = join(wanted.folder, '_temp');
  const commands = join(temp, '_runner_file_commands');
  const workflowFolder = join(temp, '_github_workflow');
  const tools = join(wanted.folder, '_tool');
  const home = join(wanted.folder, 'home');
  const actionFolder = join(wanted.folder, '_actions', 'redgreen');
  for (const folder of [commands, workflowFolder, tools, home, actionFolder])
    await mkdir(folder, { recursive: true });
  await cp(join(wanted.action, 'action.yml'), join(actionFolder, 'action.yml'));
  const dist = dirname(file.main);
  await cp(join(wanted.action, dist), join(actionFolder, dist), { recursive: true });
  const eventPath = join(workflowFolder, 'event.json');
  await writeFile(eventPath, JSON.stringify(wanted.event.payload, null, 2));
  const folders = { temp, tools, home, eventPath };
  const env = { ...runnerVariables(wanted, folders), ...inputVariables(wanted, file), ...wanted.env };
  return { wanted, file, actionFolder, commands, env };
}

interface Folders {
  readonly temp: string;
  readonly tools: string;
  readonly home: string;
  readonly eventPath: string;
}

function runnerVariables(wanted: ActionRun, folders: Folders): Record<string, string> {
  const { repository, github, runId = DEFAULT_RUN_ID } = wanted;
  const sender = senderOf(wanted);
  const name = fullName(repository);
  const { ref, sha, headRef, baseRef, workflowRef } = refsOf(wanted);
  return {
    CI: 'true',
    HOME: folders.home,
    LANG: 'C.UTF-8',
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    GITHUB_ACTION: '__redgreen',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION_REF: '',
    GITHUB_ACTION_REPOSITORY: '',
    GITHUB_ACTOR: sender.login,
    GITHUB_ACTOR_ID: String(sender.id),
    GITHUB_API_URL: github.apiUrl,
    GITHUB_BASE_REF: baseRef,
    GITHUB_EVENT_NAME: wanted.event.name,
    GITHUB_EVENT_PATH: folders.eventPath,
    GITHUB_GRAPHQL_URL: `${github.serverUrl}/api/graphql`,
    GITHUB_HEAD_REF: headRef,
    GITHUB_JOB: 'agent',
    GITHUB_REF: ref,
    GITHUB_REF_NAME: ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    GITHUB_REF_PROTECTED: 'false',
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REPOSITORY: name,
    GITHUB_REPOSITORY_ID: String(repository.id),
    GITHUB_REPOSITORY_OWNER: repository.owner.login,
    GITHUB_REPOSITORY_OWNER_ID: String(repository.owner.id),
    GITHUB_RETENTION_DAYS: '90',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_RUN_ID: String(runId),
    GITHUB_RUN_NUMBER: '1',
    GITHUB_SERVER_URL: github.serverUrl,
    GITHUB_SHA: sha,
    GITHUB_TRIGGERING_ACTOR: sender.login,
    GITHUB_WORKFLOW: 'agent',
    GITHUB_WORKFLOW_REF: `${name}/.github/workflows/agent.yml@${workflowRef}`,
    GITHUB_WORKFLOW_SHA: sha,
    GITHUB_WORKSPACE: wanted.workspace,
    RUNNER_ARCH: arch() === 'arm64' ? 'ARM64' : 'X64',
    RUNNER_ENVIRONMENT: 'self-hosted',
    RUNNER_NAME: 'local',
    RUNNER_OS: 'Linux',
    RUNNER_TEMP: folders.temp,
    RUNNER_TOOL_CACHE: folders.tools,
    RUNNER_WORKSPACE: dirname(wanted.workspace),
  };
}

/** Upper case, spaces to underscores, hyphens kept; an absent input without default is the empty string. */
function inputVariables({ inputs = {}, token }: ActionRun, file: ActionFile): Record<string, string> {
  const rows = [...file.inputs].map(([name, fallback = '']) => {
    const value = inputs[name] ?? evaluate(fallback, token);
    return [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value];
  });
  return Object.fromEntries(rows) as Record<string, string>;
}

function evaluate(text: string, token: Token): string {
  return text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_whole, expression: string) => {
    if (expression === 'github.token') return token.value;
    throw new Error(`the local runner can not evaluate "${expression}"`);
  });
}

async function runStep(
  job: Job,
  step: 'main' | 'post',
  script: string,
  state: Record<string, string>,
): Promise<StepResult> {
  const { wanted } = job;
  const commandFiles: Record<string, string> = {};
  for (const name of ['env', 'output', 'path', 'state', 'step_summary']) {
    const path = join(job.commands, `${name}_${step}`);
    await writeFile(path, '');
    commandFiles[`GITHUB_${name.toUpperCase()}`] = path;
  }
  if (wanted.user) await giveTo(wanted.user, [wanted.folder, wanted.workspace]);
  const started = performance.now();
  const child = spawn(wanted.node ?? process.execPath, [join(job.actionFolder, script)], {
    cwd: wanted.workspace,
    env: { ...job.env, ...commandFiles, ...state },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...wanted.user,
  });
  wanted.onStart?.(step, child);
  const ended = collect(child, text => wanted.onOutput?.(step, text));
  const stopCancelling = step === 'main' ? cancelOn(wanted.cancel, child) : () => undefined;
  const { exitCode, signal, stdout, stderr } = await ended;
  stopCancelling();
  const log = readLog(stdout, [wanted.token.value]);
  return { exitCode, signal, stdout, stderr, durationMs: performance.now() - started, ...log };
}

async function collect(child: ChildProcess, onText: (text: string) => void) {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      onText(text);
    });
  }
  const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...end) => resolve(end));
  });
  return { exitCode, signal, ...texts };
}

/** The runner signals the entry process alone, and at last kills what is left of its group. */
function cancelOn(cancel: AbortSignal | undefined, child: ChildProcess): () => void {
  const timers: NodeJS.Timeout[] = [];
  const begin = () => {
    child.kill('SIGINT');
    timers.push(setTimeout(() => child.kill('SIGTERM'), 7_500));
    timers.push(setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), 10_000));
  };
  if (cancel?.aborted) begin();
  else cancel?.addEventListener('abort', begin, { once: true });
  return () => {
    cancel?.removeEventListener('abort', begin);
    timers.forEach(clearTimeout);
  };
}

async function giveTo({ uid, gid }: { uid: number; gid: number }, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const below = await readdir(folder, { recursive: true, withFileTypes: true });
    await chmod(folder, 0o755);
    await chown(folder, uid, gid);
    for (const entry of below) {
      if (!entry.isSymbolicLink()) await chown(join(entry.parentPath, entry.name), uid, gid);
    }
  }
}
