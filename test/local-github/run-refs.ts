/** What of git a run is told, which depends on its event: mostly the default branch, whatever the event is about. */
import type { WorkflowEvent } from './events.ts';
import type { Repository } from './state.ts';

export interface RunRefs {
  readonly ref: string;
  readonly sha: string;
  /** Of `pull_request` alone; else empty. */
  readonly headRef: string;
  readonly baseRef: string;
  /** The branch and the commit that a list of runs shows; of `pull_request` the head's, not the merge that is checked out. */
  readonly headSha: string;
  readonly headBranch: string;
  /** Where the workflow's file was taken from. */
  readonly workflowRef: string;
}

/** `sha` stands for the commit of that ref, when the event does not name it. */
export function refsOf({
  event,
  repository,
  sha = '0'.repeat(40),
}: {
  readonly event: WorkflowEvent;
  readonly repository: Repository;
  readonly sha?: string;
}): RunRefs {
  const branch = repository.defaultBranch;
  if (event.name === 'pull_request') return refsOfPull(event.payload, sha);
  const ref =
    event.name === 'workflow_dispatch' && typeof event.payload.ref === 'string'
      ? event.payload.ref
      : `refs/heads/${branch}`;
  const headBranch = ref.replace(/^refs\/heads\//, '');
  return { ref, sha, headRef: '', baseRef: '', headSha: sha, headBranch, workflowRef: ref };
}

function refsOfPull(payload: WorkflowEvent['payload'], sha: string): RunRefs {
  const { number, merge_commit_sha, head, base } = payload.pull_request as {
    number: number;
    merge_commit_sha: string | null;
    head: { ref: string; sha: string };
    base: { ref: string };
  };
  const ref = `refs/pull/${number}/merge`;
  return {
    ref,
    sha: merge_commit_sha ?? sha,
    headRef: head.ref,
    baseRef: base.ref,
    headSha: head.sha,
    headBranch: head.ref,
    workflowRef: ref,
  };
}
