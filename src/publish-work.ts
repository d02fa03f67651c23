import { readFileSync } from 'node:fs';
import type { Order } from './carry-out.ts';
import type { Deps, WorkResult } from './commands/deps.ts';
import { inPhase } from './commands/in-phase.ts';
import { type Publication, publish, type Target } from './commands/publish.ts';
import { messageOf, UserError } from './errors.ts';
import { issueOf } from './events/trigger.ts';
import { createGit } from './git/git.ts';
import { type PreparedWork, remoteUrl } from './prepare-work.ts';
import { commitMessage } from './report/commit-message.ts';
import { fixReport } from './report/fix-report.ts';
import { patchFold } from './report/patch-fold.ts';
import { type PullRequestInput, pullRequestBody, pullRequestTitle } from './report/pull-request.ts';
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
  const publication = await inPhase(emit, 'publish', () => publish(result, target), publicationNote).catch(
    (error: unknown): Publication => {
      const cure = error instanceof UserError ? error.cure : 'Give the command again.';
      const problem = { what: `Publishing stopped: ${messageOf(error)}`, cure };
      const soFar = made.soFar ?? { rows: [], patchPath: '', problems: [] };
      return { ...soFar, problems: [...soFar.problems, problem] };
    },
  );
  const report = reportOf(order, prepared, result, publication);
  return withProblems(emit, { ...done, publication, ...(report && { report }) });
}

/** Small enough to be copied out of a comment. */
const MAX_PATCH = 15_000;

/** On somebody's pull request the run's comment is where the change is explained; the text of the pull request is not ours. */
function reportOf(
  order: Order,
  prepared: PreparedWork,
  result: WorkResult,
  publication: Publication,
): string | undefined {
  if (prepared.start.branch.kind !== 'pull-request' || publication.rows.length === 0) return undefined;
  const { clean } = order.surroundings;
  const facts = redactAll(factsOf(order, prepared, result, publication.rows), clean);
  const { withheld, branch, headSha, patchPath } = publication;
  const patch = branch ? '' : patchFold(readFileSync(patchPath, 'utf8'), MAX_PATCH, clean);
  return [
    withheld ? clean(`> [!IMPORTANT]\n> ${withheld.what}\n> ${withheld.cure}`) : '',
    fixReport({ ...facts, headSha, pushedTo: branch }),
    patch,
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

function factsOf(
  order: Order,
  { inputs, deps, task }: PreparedWork,
  result: WorkResult,
  files: readonly FileSummaryRow[],
): PullRequestInput {
  const { trigger, config } = order;
  return {
    subject: task.title,
    request: {
      askedBy: order.askedBy?.login,
      command: `/agent ${trigger.command}`,
      text: [task.title, task.body, task.words].filter(Boolean).join('\n\n'),
    },
    issue: issueOf(trigger.source),
    outcome: result.outcome,
    reason: result.reason,
    proof: result.proof,
    functions: result.functions,
    explanation: result.summary,
    ...(result.diagnosis && { diagnosis: result.diagnosis }),
    ...(result.commandGreen && { commandGreen: result.commandGreen }),
    files,
    remarks: inputs.testCommand
      ? [`The tests were run by the workflow's own test-command: ${inputs.testCommand}`]
      : [],
    model: inputs.model.name,
    usage: deps.budget.spent(),
    durationMs: Date.now() - order.startedAt,
    runUrl: config.run.url,
    ci: continuousIntegration(config.urls.server),
  };
}

function targetOf(
  order: Order,
  prepared: PreparedWork,
  result: WorkResult,
  keep: (soFar: Publication) => void,
): Target {
  const { trigger, config, github, surroundings } = order;
  const { deps, start, task } = prepared;
  const { repository } = deps.project;
  const describe = (_branch: string, files: readonly FileSummaryRow[]) => {
    const clean = redactAll(factsOf(order, prepared, result, files), surroundings.clean);
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
    isShown: result.proof?.proven === true || result.commandGreen !== undefined,
    isAsked: order.askedBy !== undefined,
    branchStem: start.branchStem,
    outFolder: surroundings.outFolder,
    commitMessage: surroundings.clean(
      commitMessage({
        title: trigger.command === 'fix' ? fixTitle(result, task.title) : task.title,
        summary: result.summary,
        issue: issueOf(trigger.source),
        sender: order.askedBy,
        runUrl: config.run.url,
      }),
    ),
    keep,
    describe,
    emit: surroundings.emit,
  };
}

/** A commit on somebody's branch says what was mended; the title of the pull request says what that is about. */
const fixTitle = ({ diagnosis }: WorkResult, title: string): string =>
  diagnosis ? `Fix: ${diagnosis.cause}` : `Fix: ${title}`;

/** Since June 2026 github.com lets pull requests of GITHUB_TOKEN wait for approval; other servers start nothing. */
const continuousIntegration = (serverUrl: string): 'needs-approval' | 'needs-reopening' =>
  new URL(serverUrl).hostname === 'github.com' ? 'needs-approval' : 'needs-reopening';

function publicationNote({ pullRequest, branch, problems, withheld }: Publication) {
  const note = pullRequest
    ? `pull request #${pullRequest.number}`
    : (branch ?? withheld?.what ?? problems[0]?.what ?? 'nothing');
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
