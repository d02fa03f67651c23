import { openBudget } from './agents/budget.ts';
import type { TaskText } from './agents/prompts/task.ts';
import type { Meter, Order } from './carry-out.ts';
import { chooseStart, type Start } from './commands/choose-start.ts';
import { contextOf } from './commands/context-of.ts';
import type { Deps, SandboxDeps } from './commands/deps.ts';
import { openProject, type Project } from './commands/project.ts';
import type { Inputs } from './config.ts';
import { UserError } from './errors.ts';
import { issueOf, pullRequestOf } from './events/trigger.ts';
import { readIncluded } from './git/included-files.ts';
import { openRepository } from './git/repository.ts';
import type { Model } from './model/model.ts';
import { openSandbox } from './sandbox/open-sandbox.ts';
import type { TreeFile } from './types.ts';

/** All that a command needs, and where its result goes. */
export interface PreparedWork {
  readonly inputs: Inputs;
  readonly deps: Deps;
  readonly start: Start;
  readonly task: TaskText;
}

/** Opens everything that may fail for a person's mistake, the model first. */
export async function prepareWork(order: Order, inputs: Inputs, meter: Meter): Promise<PreparedWork> {
  // Before anything is fetched or started: a key that is missing should cost nobody a minute.
  const model = await openModel(inputs);
  const { start, project, included } = await openSource(order, inputs);
  const started = Date.now();
  const budget = openBudget({ ...inputs.limits, deadline: workDeadline(inputs) });
  meter.budget = budget;
  const task = contextOf({ ...order.trigger, ...order.thread });
  const deps: Deps = {
    ...sandboxDeps(order, inputs, { project, included, started }),
    model,
    budget,
    keep: soFar => {
      meter.soFar = soFar;
    },
  };
  return { inputs, deps, start, task };
}

/** The SDK is two thirds of the bundle, so it is a chunk of its own. Throws a UserError when there is no key. */
export async function openModel(inputs: Inputs): Promise<Model> {
  const { createModel } = await import('./model/openai-model.ts');
  return createModel({
    apiKey: inputs.model.apiKey,
    baseUrl: inputs.model.baseUrl,
    model: inputs.model.name,
    price: inputs.model.price,
    idleTimeoutMs: inputs.model.timeoutMs,
  });
}

export interface SourceFiles {
  readonly start: Start;
  readonly project: Project;
  /** Files of the checkout that go in beside the commit's. */
  readonly included: readonly TreeFile[];
}

/** The commit that the work starts from, and what goes in beside it. */
export async function openSource(order: Order, inputs: Omit<Inputs, 'model'>): Promise<SourceFiles> {
  const { surroundings, trigger, config, github } = order;
  assertItsPullRequest(order);
  const reading = readIncluded(config.workspace, includable(order, inputs));
  // Awaited below; a refusal must not count as unhandled until then.
  reading.catch(() => undefined);
  const repository = await openRepository({
    workspace: config.workspace,
    folder: surroundings.privateFolder,
    path: config.hostPath,
    networkEnv: config.networkEnv,
    signal: surroundings.signal,
  });
  const start = await chooseStart({
    github,
    repository,
    remoteUrl: remoteUrl(order),
    token: config.token,
    pullRequest: order.thread.pullRequest,
    issue: issueOf(trigger.source),
    runId: config.run.id,
    baseBranch:
      (trigger.source.kind === 'dispatch' ? trigger.source.base : undefined) ??
      inputs.base ??
      trigger.repository.defaultBranch,
  });
  const [project, included] = await Promise.all([openProject(repository, start.sha), reading]);
  return { start, project, included };
}

/** Without it the work would be done on the default branch, of which nobody spoke. */
function assertItsPullRequest({ trigger, thread }: Order): void {
  const wanted = pullRequestOf(trigger.source);
  if (wanted === undefined || thread.pullRequest) return;
  throw new UserError(
    `There is no pull request #${wanted}.`,
    'Start the workflow again with the number of an open pull request, or leave the input `pull-request` empty.',
  );
}

/** Files of the job's own are for the repository's code, not for a stranger's, which has a network while it is set up. */
function includable(
  { thread, surroundings }: Order,
  { sandbox }: Pick<Inputs, 'sandbox'>,
): readonly string[] {
  if (!thread.pullRequest?.isFork || sandbox.include.length === 0) return sandbox.include;
  const text = 'the paths of `include` are left out, because the pull request is of a fork';
  surroundings.emit({ kind: 'note', level: 'warning', text });
  return [];
}

/** What of a run's dependencies has to do with its sandbox. */
export function sandboxDeps(
  order: Order,
  inputs: Omit<Inputs, 'model'>,
  { project, included, started }: Pick<SourceFiles, 'project' | 'included'> & { readonly started: number },
): SandboxDeps {
  const { signal, emit } = order.surroundings;
  return {
    project,
    emit,
    signal,
    openSandbox: () => openSandbox(sandboxOptions(order, inputs)),
    settings: {
      rootSetupCommand: inputs.sandbox.rootSetupCommand,
      setupCommand: inputs.sandbox.setupCommand,
      testCommand: inputs.testCommand,
      workingDirectory: inputs.workingDirectory,
      included,
      proofMinutes: inputs.limits.proofMinutes,
      deadline: started + inputs.limits.timeoutMinutes * 60_000,
    },
  };
}

/** Model calls end early enough to prove and publish what there is. */
function workDeadline({ limits }: Inputs): number {
  const reserved = Math.min(limits.proofMinutes + 3, limits.timeoutMinutes * 0.4);
  return Date.now() + (limits.timeoutMinutes - reserved) * 60_000;
}

const sandboxOptions = ({ config, surroundings }: Order, { sandbox }: Pick<Inputs, 'sandbox'>) => ({
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

/** Explicit address of the repository for git; no remote of a checkout is ever used. */
export const remoteUrl = ({ config }: Order): string =>
  `${config.urls.server}/${config.repository.owner}/${config.repository.name}.git`;
