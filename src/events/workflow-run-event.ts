import { type WorkflowRunPayload, workflowRunGlance, workflowRunPayload } from './payloads.ts';
import { ignored, originOf, readPayload } from './read-payload.ts';
import type { Trigger } from './trigger.ts';

/**
 * A workflow run of a pull request that failed asks for `fix`. Nobody gave that command: who may have it, and how often, is for the caller
 * to decide. What stops it here costs no request.
 */
export function parseWorkflowRun(payload: unknown, trigger: string): Trigger {
  const glance = readPayload(workflowRunGlance, payload, 'workflow_run');
  const idle = notFailed(glance.action, glance.workflow_run.conclusion ?? '');
  if (idle) return ignored(idle);
  const { event } = glance.workflow_run;
  if (event !== 'pull_request' && event !== 'push')
    return ignored(
      `the workflow run was started by "${event}", not by a pull request or a push to its branch`,
    );

  const payloadRead = readPayload(workflowRunPayload, payload, 'workflow_run');
  const refusal = notOurs(payloadRead, trigger);
  if (refusal) return ignored(refusal);
  return fromPullRequest(payloadRead, trigger);
}

/** Why a run that has ended (or not) is no failure; undefined when it is one. */
function notFailed(action: string, conclusion: string): string | undefined {
  if (action !== 'completed')
    return `the workflow run was ${action.replaceAll('_', ' ')}, and has not ended yet`;
  if (conclusion === 'failure' || conclusion === 'timed_out') return undefined;
  return CONCLUSIONS.get(conclusion) ?? `the workflow run ended with "${conclusion}", which is no failure`;
}

const CONCLUSIONS: ReadonlyMap<string, string> = new Map([
  ['success', 'the workflow run succeeded'],
  ['cancelled', 'the workflow run was cancelled'],
  ['skipped', 'the workflow run was skipped'],
  ['action_required', 'the workflow run waits for an approval'],
  ['startup_failure', 'the workflow run could not start: its workflow file is at fault, not the code'],
  ['stale', 'the workflow run was given up by GitHub'],
  ['', 'the workflow run has no conclusion'],
]);

function notOurs({ workflow_run: run, repository }: WorkflowRunPayload, trigger: string): string | undefined {
  if (run.head_repository?.full_name.toLowerCase() !== repository.full_name.toLowerCase())
    return `the workflow run is of a fork; there a maintainer's comment "${trigger} fix" on the pull request is the way`;
  if (OWN_TRAILER.test(run.head_commit?.message ?? ''))
    return 'the commit that failed is one of our own, and we do not chase our own tail';
  return undefined;
}

/** The line by which `report/commit-message.ts` marks every commit of ours. */
const OWN_TRAILER = /^Redgreen-Run: /m;

function fromPullRequest(payload: WorkflowRunPayload, trigger: string): Trigger {
  const { workflow_run: run, repository } = payload;
  const here = run.pull_requests.filter(
    ({ base, head }) => base.repo?.id === repository.id && head.repo?.id === repository.id,
  );
  if (here.length === 0) return ignored(noPullRequest(run.event, trigger));
  const pullRequest = here.find(({ head }) => head.sha === run.head_sha);
  if (!pullRequest) return ignored('the pull request has newer commits than the one that failed');
  const failed = {
    runId: run.id,
    attempt: run.run_attempt,
    name: run.name ?? '',
    url: run.html_url,
    headSha: run.head_sha,
    headBranch: run.head_branch ?? pullRequest.head.ref,
    endedAt: run.updated_at,
  };
  const source = { kind: 'workflow-run', pullRequest: pullRequest.number, failed } as const;
  return { kind: 'command', command: 'fix', words: '', source, ...originOf(payload) };
}

const noPullRequest = (event: string, trigger: string): string =>
  event === 'push'
    ? 'the workflow run is of a push to a branch without an open pull request'
    : `the workflow run names no open pull request of this repository; if it is of a fork, a maintainer's comment "${trigger} fix" on the pull request is the way`;
