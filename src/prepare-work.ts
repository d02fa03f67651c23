import { openBudget } from './agents/budget.ts';
import type { TaskText } from './agents/prompts/task.ts';
import type { Meter, Order } from './carry-out.ts';
import { chooseStart, type Start } from './commands/choose-start.ts';
import { contextOf } from './commands/context-of.ts';
import type { Deps } from './commands/deps.ts';
import { openProject } from './commands/project.ts';
import type { Inputs } from './config.ts';
import { threadOf } from './events/trigger.ts';
import { readIncluded } from './git/included-files.ts';
import { openRepository } from './git/repository.ts';
import { listComments } from './github/comments.ts';
import { openSandbox } from './sandbox/open-sandbox.ts';

/** All that a command needs, and where its result goes. */
export interface PreparedWork {
  readonly inputs: Inputs;
  readonly deps: Deps;
  readonly start: Start;
  readonly task: TaskText;
}

/** Opens everything that may fail for a person's mistake, the model first. */
export async function prepareWork(order: Order, inputs: Inputs, meter: Meter): Promise<PreparedWork> {
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
  const thread = threadOf(trigger.source);
  const reading = Promise.all([
    thread === undefined ? { comments: [] } : listComments(github, thread),
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
  const started = Date.now();
  const budget = openBudget({ ...inputs.limits, deadline: workDeadline(inputs) });
  meter.budget = budget;
  const [project, [{ comments }, included]] = await Promise.all([
    openProject(repository, start.sha),
    reading,
  ]);
  const task = contextOf({ ...trigger, comments, pullRequest: undefined });
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
      deadline: started + inputs.limits.timeoutMinutes * 60_000,
    },
    keep: soFar => {
      meter.soFar = soFar;
    },
  };
  return { inputs, deps, start, task };
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

/** Explicit address of the repository for git; no remote of a checkout is ever used. */
export const remoteUrl = ({ config }: Order): string =>
  `${config.urls.server}/${config.repository.owner}/${config.repository.name}.git`;
