import type { Order } from './carry-out.ts';
import type { Deps, WorkResult } from './commands/deps.ts';
import { inPhase } from './commands/in-phase.ts';
import { type Publication, publish, type Target } from './commands/publish.ts';
import { messageOf, UserError } from './errors.ts';
import { createGit } from './git/git.ts';
import { type PreparedWork, remoteUrl } from './prepare-work.ts';
import { commitMessage } from './report/commit-message.ts';
import { pullRequestBody, pullRequestTitle } from './report/pull-request.ts';
import { redactAll } from './report/redact.ts';
import type { FileSummaryRow } from './types.ts';
import type { Done } from './work.ts';

/** Publishes a result. Never throws for what GitHub or git refuse half-way: what was published until then is part of the answer. */
export async function publishWork(
  order: Order,
  prepared: PreparedWork,
  result: WorkResult,
  done: Done,
): Promise<Done> {
  const { emit } = order.surroundings;
  const made: { soFar?: Publication } = {};
  const target = targetOf(order, prepared, result, soFar => {
    made.soFar = soFar;
  });
  try {
    const publication = await inPhase(emit, 'publish', () => publish(result, target), publicationNote);
    return withProblems(emit, { ...done, publication });
  } catch (error) {
    const cure = error instanceof UserError ? error.cure : 'Give the command again.';
    const problem = { what: `Publishing stopped: ${messageOf(error)}`, cure };
    const soFar = made.soFar ?? { rows: [], patchPath: '', problems: [] };
    return withProblems(emit, { ...done, publication: { ...soFar, problems: [...soFar.problems, problem] } });
  }
}

function targetOf(
  order: Order,
  { inputs, deps, start, task }: PreparedWork,
  result: WorkResult,
  keep: (soFar: Publication) => void,
): Target {
  const { trigger, config, github, surroundings } = order;
  const { repository } = deps.project;
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
      durationMs: Date.now() - order.startedAt,
      runUrl: config.run.url,
      ci: continuousIntegration(config.urls.server),
    } as const;
    const clean = redactAll(input, surroundings.clean);
    return { title: pullRequestTitle(clean), body: pullRequestBody(clean) };
  };
  return {
    github,
    // Without the run's signal: what was done is published also when the run was stopped.
    repository: { ...repository, git: createGit({ path: config.hostPath }, repository.gitDir) },
    remoteUrl: remoteUrl(order),
    token: config.token,
    baseBranch: start.baseBranch,
    parent: start.sha,
    branch: start.branch,
    branchStem: start.branchStem,
    outFolder: surroundings.outFolder,
    commitMessage: surroundings.clean(
      commitMessage({
        title: task.title,
        summary: result.summary,
        issue,
        sender: trigger.source.kind === 'workflow-run' ? undefined : trigger.sender,
        runUrl: config.run.url,
      }),
    ),
    keep,
    describe,
    emit: surroundings.emit,
  };
}

/** Since June 2026 github.com lets pull requests of GITHUB_TOKEN wait for approval; other servers start nothing. */
const continuousIntegration = (serverUrl: string): 'needs-approval' | 'needs-reopening' =>
  new URL(serverUrl).hostname === 'github.com' ? 'needs-approval' : 'needs-reopening';

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
