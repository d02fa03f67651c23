import type { Order } from './carry-out.ts';
import type { Deps, WorkResult } from './commands/deps.ts';
import { inPhase } from './commands/in-phase.ts';
import { type Publication, publish, type Target } from './commands/publish.ts';
import { messageOf, UserError } from './errors.ts';
import { issueOf } from './events/trigger.ts';
import { fixComment } from './fix-comment.ts';
import { createGit } from './git/git.ts';
import { type PreparedWork, remoteUrl } from './prepare-work.ts';
import { commitMessage } from './report/commit-message.ts';
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
  const publication = await inPhase(emit, 'publish', () => publish(result, target), noteOf(prepared)).catch(
    (error: unknown): Publication => {
      const cure = error instanceof UserError ? error.cure : 'Give the command again.';
      const problem = { what: `Publishing stopped: ${messageOf(error)}`, cure };
      const soFar = made.soFar ?? { rows: [], patchPath: '', problems: [] };
      return { ...soFar, problems: [...soFar.problems, problem] };
    },
  );
  const onPullRequest = prepared.start.branch.kind === 'pull-request' && publication.rows.length > 0;
  const facts = factsOf(order, prepared, result, publication.rows);
  const report = onPullRequest ? fixComment(order, result, { facts, publication }) : done.report;
  return withProblems(emit, {
    ...doubted(done, result, publication),
    publication,
    ...(report && { report }),
  });
}

/** What is held back for a doubt is not told as a success, though every test says so. */
const doubted = (done: Done, { doubts = [] }: WorkResult, { withheld, branch }: Publication): Done =>
  withheld && !branch && done.outcome === 'proven' && doubts.length > 0
    ? { ...done, outcome: 'unproven', reason: `the tests prove it, but it is doubtful: ${doubts[0]}` }
    : done;

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
    remarks: result.remarks ?? [],
    ...(inputs.testCommand !== undefined && { testCommand: inputs.testCommand }),
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
    defaultBranch: trigger.repository.defaultBranch,
    parent: start.sha,
    branch: start.branch,
    isShown: isShown(result, order.askedBy !== undefined),
    isAsked: order.askedBy !== undefined,
    branchStem: start.branchStem,
    outFolder: surroundings.outFolder,
    commitMessage: surroundings.clean(
      commitMessage({
        ...commitTitle(order, result, task.title),
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

/** Proven and without doubts; when somebody asked, who will read it, a green command and a doubt that is told are enough. */
const isShown = ({ proof, commandGreen, doubts = [] }: WorkResult, isAsked: boolean): boolean =>
  isAsked
    ? proof?.proven === true || commandGreen !== undefined
    : proof?.proven === true && doubts.length === 0;

/** A commit on somebody's branch says what was wrong; what the pull request is about, its title says already. */
const commitTitle = ({ trigger, thread }: Order, { diagnosis }: WorkResult, title: string) =>
  trigger.command === 'fix'
    ? { prefix: 'Fix: ', title: (thread.pullRequest && diagnosis?.cause) || title }
    : { title };

/** Since June 2026 github.com lets pull requests of GITHUB_TOKEN wait for approval; other servers start nothing. */
const continuousIntegration = (serverUrl: string): 'needs-approval' | 'needs-reopening' =>
  new URL(serverUrl).hostname === 'github.com' ? 'needs-approval' : 'needs-reopening';

const noteOf =
  ({ start }: PreparedWork) =>
  ({ pullRequest, branch, headSha, problems, withheld }: Publication) => {
    // Somebody's own pull request was not opened here: it got a commit.
    const isTheirs = start.branch.kind === 'pull-request' && branch === start.branch.pullRequest.head.branch;
    const made = pullRequest && !isTheirs ? `pull request #${pullRequest.number}` : undefined;
    const pushed = isTheirs ? `commit ${headSha?.slice(0, 10)} on ${branch}` : branch;
    return {
      ok: problems.length === 0,
      note: made ?? pushed ?? withheld?.what ?? problems[0]?.what ?? 'nothing',
    };
  };

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
