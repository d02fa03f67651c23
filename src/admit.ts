import { saveState, setSecret } from '@actions/core';
import { carryOut } from './carry-out.ts';
import { react } from './commands/acknowledge.ts';
import { answerQuestion } from './commands/answer-question.ts';
import { type Config, readConfig, readSecrets } from './config.ts';
import { decidePermission } from './events/permission.ts';
import type { Trigger } from './events/trigger.ts';
import { createGitHub } from './github/client.ts';
import { readPermission } from './github/permissions.ts';
import { writeOutputs } from './outputs.ts';
import type { RunEnd } from './run.ts';
import { openSurroundings, type Surroundings } from './surroundings.ts';
import { VERSION } from './version.ts';

type Meant = Exclude<Trigger, { kind: 'ignored' }>;

/** What is meant for us goes through the gate; who may pass is obeyed. */
export async function admit(trigger: Meant): Promise<RunEnd> {
  for (const secret of readSecrets()) setSecret(secret);
  const config = readConfig();
  const surroundings = openSurroundings(config);
  try {
    return await passGate(trigger, config, surroundings);
  } finally {
    surroundings.close();
  }
}

/** The gate: the sender's permission is asked live. A refused sender gets `confused` and nothing else. */
async function passGate(trigger: Meant, config: Config, surroundings: Surroundings): Promise<RunEnd> {
  const { emit, clean } = surroundings;
  const github = createGitHub({
    token: config.token,
    apiUrl: config.urls.api,
    serverUrl: config.urls.server,
    ...trigger.repository,
    repo: trigger.repository.name,
    version: VERSION,
    proxy: config.proxy,
    log: line => emit({ kind: 'note', level: 'info', text: line }),
  });
  const decision = decidePermission({
    login: trigger.sender.login,
    ...(await readPermission(github, trigger.sender.login)),
  });
  if (!decision.allowed) {
    if (trigger.source.kind === 'issue-comment') await react(github, trigger.source, 'confused', emit);
    emit({ kind: 'note', level: 'info', text: `refused: ${decision.reason}` });
    writeOutputs({ outcome: 'refused', reason: decision.reason }, clean);
    return {};
  }
  if (trigger.kind === 'question') {
    await answerQuestion(github, trigger, surroundings.runLabel, emit);
    writeOutputs({ outcome: 'answered', reason: '' }, clean);
    return {};
  }
  saveState('owner', trigger.repository.owner);
  return carryOut({ trigger, github, config, surroundings, startedAt: Date.now() });
}
