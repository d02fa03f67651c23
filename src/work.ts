import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBudget } from './agents/budget.ts';
import type { TaskText } from './agents/prompts/task.ts';
import type { Meter, Order } from './carry-out.ts';
import { chooseStart, type Start } from './commands/choose-start.ts';
import type { Deps, WorkResult } from './commands/deps.ts';
import { implementCommand } from './commands/implement.ts';
import { inPhase } from './commands/in-phase.ts';
import { openProject } from './commands/project.ts';
import { type Publication, publish } from './commands/publish.ts';
import { readContext } from './commands/read-context.ts';
import { type Inputs, readInputs } from './config.ts';
import { readIncluded } from './git/included-files.ts';
import { openRepository } from './git/repository.ts';
import { pullRequestBody, pullRequestTitle } from './report/pull-request.ts';
import { redactAll } from './report/redact.ts';
import { openSandbox } from './sandbox/open-sandbox.ts';
import type { FileSummaryRow, Outcome } from './types.ts';
import { VERSION } from './version.ts';

/** What the work came to, and what was published of it. */
export interface Done {
  readonly outcome: Outcome;
  /** A sentence; empty when proven. */
  readonly reason: string;
  readonly cure: string;
  readonly work?: WorkResult;
  readonly publication?: Publication;
  readonly proofPath?: string;
}

/** From the inputs to the pull request. Throws what it can not answer; `carry-out.ts` catches. */
export async function work(order: Order, meter: Meter): Promise<Done> {
  const { surroundings, trigger, config } = order;
  const { emit } = surroundings;
  const started = Date.now();
  const inputs = readInputs();
  surroundings.limitTo(inputs.limits.timeoutMinutes);
  emit({
    kind: 'run-started',
    version: VERSION,
    command: trigger.command,
    repository: `${config.repository.owner}/${config.repository.name}`,
    issue: trigger.source.kind === 'issue-comment' ? trigger.source.issue.number : undefined,
    model: inputs.model.name,
  });
  const prepared = await inPhase(emit, 'context', () => prepare(order, inputs, meter), contextNote);
  const result = await implementCommand({ task: prepared.task }, prepared.deps);
  const proofPath = writeProof(result, surroundings.outFolder);
  const kept: Done = {
    outcome: result.outcome,
    reason: result.reason,
    cure: result.cure ?? '',
    work: result,
    ...(proofPath && { proofPath }),
  };
  if (result.change.length === 0) return kept;
  const publication = await inPhase(
    emit,
    'publish',
    () => publish(result, target(order, inputs, prepared, result, started)),
    publicationNote,
  );
  return withProblems(emit, { ...kept, publication });
}

const contextNote = ({ start }: Prepared) => ({
  ok: true,
  note:
    start.branch.kind === 'continue'
      ? `goes on with #${start.branch.pullRequest.number}`
      : `${start.baseBranch} at ${start.sha.slice(0, 7)}`,
});

interface Prepared {
  readonly deps: Deps;
  readonly start: Start;
  readonly task: TaskText;
}

async function prepare(order: Order, inputs: Inputs, meter: Meter): Promise<Prepared> {
  const { surroundings, trigger, config, github } = order;
  const { signal, emit, privateFolder } = surroundings;
  // Before anything is fetched or started: a key that is missing should cost nobody a minute. The SDK is two thirds of
  // the bundle, so it is a chunk of its own.
  const { createModel } = await import('./model/openai-model.ts');
  const model = createModel({
    apiKey: inputs.model.apiKey,
    baseUrl: inputs.model.baseUrl,
    model: inputs.model.name,
    price: inputs.model.price,
    idleTimeoutMs: inputs.model.timeoutMs,
  });
  const reading = Promise.all([
    readContext(github, trigger.source, trigger.words),
    readIncluded(config.workspace, inputs.sandbox.include),
  ]);
  // Awaited below; a refusal must not count as unhandled until then.
  reading.catch(() => undefined);
  const repository = await openRepository({
    workspace: config.workspace,
    folder: privateFolder,
    path: config.hostPath,
    networkEnv: config.networkEnv,
    signal,
  });
  const start = await chooseStart({
    github,
    repository,
    remoteUrl: remoteUrl(order),
    token: config.token,
    issue: trigger.source.kind === 'issue-comment' ? trigger.source.issue.number : undefined,
    runId: config.run.id,
    baseBranch:
      (trigger.source.kind === 'dispatch' ? trigger.source.base : undefined) ??
      inputs.base ??
      trigger.repository.defaultBranch,
  });
  const budget = openBudget({ ...inputs.limits, deadline: workDeadline(inputs) });
  meter.budget = budget;
  const [project, [task, included]] = await Promise.all([openProject(repository, start.sha), reading]);
  const deps: Deps = {
    project,
    model,
    budget,
    emit,
    signal,
    openSandbox: () => openSandbox(sandboxOptions(order, inputs)),
    settings: {
      rootSetupCommand: inputs.sandbox.rootSetupCommand,
      setupCommand: inputs.sandbox.setupCommand,
      testCommand: inputs.testCommand,
      included,
      proofMinutes: inputs.limits.proofMinutes,
    },
  };
  return { deps, start, task };
}

/** Model calls end early enough to prove and publish what there is. */
function workDeadline({ limits }: Inputs): number {
  const reserved = Math.min(limits.proofMinutes + 3, limits.timeoutMinutes * 0.4);
  return Date.now() + (limits.timeoutMinutes - reserved) * 60_000;
}

const sandboxOptions = ({ config, surroundings }: Order, { sandbox }: Inputs) => ({
  kind: sandbox.kind,
  container: sandbox.container,
  image: sandbox.image,
  runLabel: surroundings.runLabel,
  hostFolder: surroundings.privateFolder,
  hostPath: config.hostPath,
  dockerHost: config.dockerHost,
  protectedFolders: [config.workspace, config.tempFolder],
  note: (level: 'info' | 'warning', text: string) => surroundings.emit({ kind: 'note', level, text }),
  signal: surroundings.signal,
});

const remoteUrl = ({ config }: Order): string =>
  `${config.urls.server}/${config.repository.owner}/${config.repository.name}.git`;

function writeProof(result: WorkResult, folder: string): string | undefined {
  if (!result.proof) return undefined;
  const path = join(folder, 'proof.json');
  writeFileSync(path, `${JSON.stringify(result.proof, null, 2)}\n`);
  return path;
}

function target(
  order: Order,
  inputs: Inputs,
  { deps, start, task }: Prepared,
  result: WorkResult,
  started: number,
) {
  const { trigger, config, github, surroundings } = order;
  const issue = trigger.source.kind === 'issue-comment' ? trigger.source.issue.number : undefined;
  const describe = (_branch: string, files: readonly FileSummaryRow[]) => {
    const input = {
      subject: task.title,
      request: {
        askedBy: trigger.sender.login,
        command: `/agent ${trigger.command}`,
        text: [task.title, task.body, task.words].filter(Boolean).join('\n\n'),
      },
      issue,
      outcome: result.outcome,
      reason: result.reason,
      proof: result.proof,
      functions: result.functions,
      explanation: result.summary,
      files,
      remarks: inputs.testCommand
        ? [`The tests were run by the workflow's own test-command: ${inputs.testCommand}`]
        : [],
      model: inputs.model.name,
      usage: deps.budget.spent(),
      durationMs: Date.now() - started,
      runUrl: config.run.url,
      ci: continuousIntegration(config.urls.server),
    } as const;
    const clean = redactAll(input, surroundings.clean);
    return { title: pullRequestTitle(clean), body: pullRequestBody(clean) };
  };
  return {
    github,
    repository: deps.project.repository,
    remoteUrl: remoteUrl(order),
    token: config.token,
    baseBranch: start.baseBranch,
    parent: start.sha,
    branch: start.branch,
    branchStem: start.branchStem,
    outFolder: surroundings.outFolder,
    commitMessage: surroundings.clean(commitMessage(task.title, result, trigger.sender, issue)),
    describe,
    emit: surroundings.emit,
  };
}

/** Since June 2026 github.com lets pull requests of GITHUB_TOKEN wait for approval; other servers start nothing. */
const continuousIntegration = (serverUrl: string): 'needs-approval' | 'needs-reopening' =>
  new URL(serverUrl).hostname === 'github.com' ? 'needs-approval' : 'needs-reopening';

function commitMessage(
  title: string,
  result: WorkResult,
  sender: { readonly login: string; readonly id: number },
  issue: number | undefined,
): string {
  const subject = (title.split('\n')[0] ?? '').slice(0, 72) || 'Change by redgreen';
  const about = issue === undefined ? '' : `\n\nFor #${issue}.`;
  return `${subject}\n\n${result.summary.slice(0, 2_000).trim()}${about}\n\nCo-authored-by: ${sender.login} <${sender.id}+${sender.login}@users.noreply.github.com>\n`;
}

function publicationNote({ pullRequest, branch, problems }: Publication) {
  const note = pullRequest
    ? `pull request #${pullRequest.number}`
    : (branch ?? problems[0]?.what ?? 'nothing');
  return { ok: problems.length === 0, note };
}

/** A branch that could not be pushed fails the run; a pull request that could not be opened is a warning with its cure. */
function withProblems(emit: Deps['emit'], done: Done): Done {
  const problems = done.publication?.problems ?? [];
  for (const { what, cure } of problems) emit({ kind: 'note', level: 'warning', text: `${what} ${cure}` });
  const [first] = problems;
  if (!first || done.publication?.branch) return done;
  return {
    ...done,
    outcome: 'failed',
    reason: [done.reason, first.what].filter(Boolean).join('; '),
    cure: first.cure,
  };
}
