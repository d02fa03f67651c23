/** Bodies of workflow runs and of their jobs. */
import type { components } from '@octokit/openapi-types';
import { minimalRepositoryBody, nodeId, repositoryBody, type Urls, userBody } from './bodies.ts';
import { pullsOf } from './pull-requests.ts';
import type { Job, Repository, WorkflowRun } from './state.ts';

type Schemas = components['schemas'];

export function runBody(repository: Repository, run: WorkflowRun, urls: Urls): Schemas['workflow-run'] {
  const repo = repositoryBody(repository, urls);
  const url = `${repo.url}/actions/runs/${run.id}`;
  const attempt = run.attempts.length;
  const actor = userBody(run.actor, urls);
  const suite = run.id + 1_000_000;
  return {
    id: run.id,
    name: run.workflow.name,
    node_id: nodeId('WorkflowRun', run.id),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.workflow.path,
    display_title: run.displayTitle,
    run_number: [...repository.runs.keys()].indexOf(run.id) + 1,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: run.workflow.id,
    check_suite_id: suite,
    check_suite_node_id: nodeId('CheckSuite', suite),
    url,
    html_url: `${repo.html_url}/actions/runs/${run.id}`,
    pull_requests: pullRequestsOf(repository, run, urls),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    actor,
    run_attempt: attempt,
    referenced_workflows: [],
    run_started_at: run.createdAt,
    triggering_actor: actor,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${repo.url}/check-suites/${suite}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: attempt > 1 ? `${url}/attempts/${attempt - 1}` : null,
    workflow_url: `${repo.url}/actions/workflows/${run.workflow.id}`,
    head_commit: {
      id: run.headSha,
      tree_id: run.headSha,
      message: run.displayTitle,
      timestamp: run.createdAt,
      author: { name: 'Sample Author', email: 'author@example.com' },
      committer: { name: 'Sample Author', email: 'author@example.com' },
    },
    repository: minimalRepositoryBody(repository, urls),
    head_repository: minimalRepositoryBody(run.headRepository, urls),
  };
}

/** GitHub names the open pull requests of the head branch, but none when the branch lies in a fork. */
function pullRequestsOf(
  repository: Repository,
  run: WorkflowRun,
  urls: Urls,
): Schemas['pull-request-minimal'][] {
  const { id, url, name } = repositoryBody(repository, urls);
  const repo = { id, url, name };
  return pullsOf(repository)
    .filter(
      ({ state, pull }) =>
        state === 'open' &&
        pull.head === repository &&
        run.headRepository === repository &&
        pull.headRef === run.headBranch,
    )
    .map(({ id: pullId, number, pull }) => ({
      id: pullId,
      number,
      url: `${url}/pulls/${number}`,
      head: { ref: pull.headRef, sha: pull.headSha, repo },
      base: { ref: pull.baseRef, sha: pull.baseSha, repo },
    }));
}

export function jobBody(
  repository: Repository,
  run: WorkflowRun,
  attempt: number,
  job: Job,
  urls: Urls,
): Schemas['job'] {
  const repo = repositoryBody(repository, urls);
  const runUrl = `${repo.url}/actions/runs/${run.id}`;
  const isOver = job.status === 'completed';
  return {
    id: job.id,
    run_id: run.id,
    run_url: runUrl,
    run_attempt: attempt,
    node_id: nodeId('CheckRun', job.id),
    head_sha: run.headSha,
    url: `${repo.url}/actions/jobs/${job.id}`,
    html_url: `${repo.html_url}/actions/runs/${run.id}/job/${job.id}`,
    status: job.status,
    conclusion: job.conclusion,
    created_at: run.createdAt,
    started_at: run.createdAt,
    completed_at: isOver ? run.updatedAt : null,
    name: job.name,
    steps: job.steps.map(({ name, conclusion }, at) => ({
      name,
      status: 'completed',
      conclusion,
      number: at + 1,
      started_at: run.createdAt,
      completed_at: run.updatedAt,
    })),
    check_run_url: `${repo.url}/check-runs/${job.id}`,
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'GitHub Actions 1',
    runner_group_id: 0,
    runner_group_name: 'GitHub Actions',
    workflow_name: run.workflow.name,
    head_branch: run.headBranch,
  };
}
