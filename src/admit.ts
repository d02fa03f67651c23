import { saveState, setSecret } from '@actions/core';
import { carryOut } from './carry-out.ts';
import { react } from './commands/acknowledge.ts';
import { answerQuestion } from './commands/answer-question.ts';
import { cancelRuns } from './commands/cancel.ts';
import { readThread, type Thread } from './commands/read-thread.ts';
import { reply } from './commands/reply.ts';
import { type Config, readConfig, readSecrets } from './config.ts';
import { decidePermission } from './events/permission.ts';
import {
  answeredBy,
  type CommandTrigger,
  type Sender,
  type Source,
  type Trigger,
  threadOf,
} from './events/trigger.ts';
import { decideRound, isSecondDelivery } from './events/unasked-round.ts';
import { createGitHub, type GitHub } from './github/client.ts';
import { readPermission } from './github/permissions.ts';
import { writeOutputs, writeSummary } from './outputs.ts';
import { cancelText } from './report/cancel-text.ts';
import type { RunEnd } from './run.ts';
import { openSurroundings, type Surroundings } from './surroundings.ts';
import { VERSION } from './version.ts';

type Meant = Exclude<Trigger, { kind: 'ignored' }>;

interface Gate {
  readonly github: GitHub;
  readonly config: Config;
  readonly surroundings: Surroundings;
}

/** What is meant for us goes through the gate; who may pass is obeyed. */
export async function admit(trigger: Meant): Promise<RunEnd> {
  for (const secret of readSecrets()) setSecret(secret);
  const config = readConfig();
  const surroundings = openSurroundings(config, {
    command: trigger.kind === 'command' ? trigger.command : 'help',
    asked: trigger.source.kind !== 'workflow-run',
  });
  try {
    const github = clientFor(trigger, config, surroundings);
    return await passGate(trigger, { github, config, surroundings });
  } finally {
    surroundings.close();
  }
}

const clientFor = ({ repository }: Meant, config: Config, { emit }: Surroundings): GitHub =>
  createGitHub({
    token: config.token,
    apiUrl: config.urls.api,
    serverUrl: config.urls.server,
    owner: repository.owner,
    repo: repository.name,
    version: VERSION,
    proxy: config.proxy,
    log: line => emit({ kind: 'note', level: 'info', text: line }),
  });

/** The gate: the asker's permission is asked live. A refused sender gets `confused` and nothing else. */
async function passGate(trigger: Meant, gate: Gate): Promise<RunEnd> {
  if (trigger.kind === 'command' && trigger.source.kind === 'workflow-run')
    return passUnasked(trigger, trigger.source, gate);
  const { github, surroundings } = gate;
  // Asked for together: what a stranger's comment makes us read is thrown away.
  const [refusal, thread] = await Promise.all([
    refusalOf(github, trigger.sender.login),
    trigger.kind === 'command' ? readThread(github, trigger.source) : NO_THREAD,
  ]);
  if (refusal) {
    await react(github, trigger.source, 'confused', surroundings.emit);
    return ended(gate, 'refused', refusal);
  }
  if (trigger.kind === 'question') {
    const text = answerQuestion(trigger);
    if (threadOf(trigger.source) === undefined) await writeSummary(surroundings.clean(text));
    await reply(github, trigger.source, surroundings.runLabel, text, surroundings.emit);
    return ended(gate, 'answered', '');
  }
  if (isRepeated(trigger, thread, surroundings))
    return ended(gate, 'ignored', 'another run has taken this command already');
  if (trigger.command === 'cancel') return cancel(trigger, thread, gate);
  if (trigger.source.kind === 'label' && thread.pullRequest?.isFork) return refuseFork(gate);
  return obey(trigger, thread, trigger.sender, gate);
}

/** GitHub gives such a run no secrets and a token that may only read: it can work on nothing, and tell it nowhere but here. */
async function refuseFork(gate: Gate): Promise<RunEnd> {
  const reason =
    'a label on a pull request from a fork starts nothing, because GitHub gives its workflow run no secrets; there a comment of a maintainer, `/agent fix`, is the way';
  gate.surroundings.emit({ kind: 'note', level: 'warning', text: reason });
  await writeSummary(`## redgreen: Refused\n\n${reason}\n`);
  return ended(gate, 'refused', reason);
}

/** Not a run of its own kind: it is over when the others have been told to stop, and never waits for them. */
async function cancel(trigger: CommandTrigger, thread: Thread, gate: Gate): Promise<RunEnd> {
  const { github, config, surroundings } = gate;
  const issue = threadOf(trigger.source);
  if (issue === undefined) return ended(gate, 'ignored', 'there is no conversation whose run could be meant');
  const ownRunId = Number(config.run.id);
  const result = await cancelRuns({ github, issue, thread, ownRunId });
  const text = surroundings.clean(cancelText(result));
  await Promise.all([
    reply(github, trigger.source, surroundings.runLabel, text, surroundings.emit),
    react(github, trigger.source, result.refused.length > 0 ? 'confused' : 'rocket', surroundings.emit),
  ]);
  return ended(gate, 'answered', result.refused[0]?.reason ?? '');
}

/** Nobody gave a command: then the author of the pull request must be somebody who might have, and there are more guards. */
async function passUnasked(
  trigger: CommandTrigger,
  { failed, pullRequest: number }: Extract<Source, { kind: 'workflow-run' }>,
  gate: Gate,
): Promise<RunEnd> {
  const thread = await readThread(gate.github, trigger.source);
  const { pullRequest } = thread;
  if (!pullRequest) return ended(gate, 'ignored', `there is no pull request #${number} any more`);
  if (pullRequest.head.branch === trigger.repository.defaultBranch)
    return ended(gate, 'ignored', 'the head of the pull request is the default branch');
  const decision = decideRound({
    pullRequest: { ...pullRequest, headSha: pullRequest.head.sha },
    failedHeadSha: failed.headSha,
    rounds: roundsOfOthers(thread.marks, gate.surroundings),
  });
  if (!decision.go) return ended(gate, 'ignored', decision.reason);
  const refusal = await refusalOf(gate.github, pullRequest.author.login);
  if (refusal) return ended(gate, 'ignored', `the author of the pull request can not start runs: ${refusal}`);
  return obey(trigger, thread, undefined, gate);
}

const NO_THREAD: Thread = { comments: [], pullRequest: undefined, marks: [] };

/** A second attempt of the same workflow run is wanted: its first one's mark does not count. */
const roundsOfOthers = (marks: Thread['marks'], { runLabel }: Surroundings): string[] =>
  marks
    .filter(mark => mark.run.split('-', 1)[0] !== runLabel.split('-', 1)[0])
    .flatMap(mark => mark.answers ?? []);

const isRepeated = (trigger: CommandTrigger, thread: Thread, { runLabel }: Surroundings): boolean =>
  isSecondDelivery({ run: runLabel, answers: answeredBy(trigger.source) }, thread.marks);

async function refusalOf(github: GitHub, login: string): Promise<string | undefined> {
  const decision = decidePermission({ login, ...(await readPermission(github, login)) });
  return decision.allowed ? undefined : decision.reason;
}

function ended({ surroundings }: Gate, outcome: 'refused' | 'answered' | 'ignored', reason: string): RunEnd {
  if (reason) surroundings.emit({ kind: 'note', level: 'info', text: `${outcome}: ${reason}` });
  writeOutputs({ outcome, reason }, surroundings.clean);
  return {};
}

function obey(
  trigger: CommandTrigger,
  thread: Thread,
  askedBy: Sender | undefined,
  { github, config, surroundings }: Gate,
): Promise<RunEnd> {
  saveState('owner', trigger.repository.owner);
  return carryOut({
    trigger,
    thread,
    askedBy,
    github,
    config,
    surroundings,
    startedAt: Date.now(),
  });
}
