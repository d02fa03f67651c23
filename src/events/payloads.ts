import { z } from 'zod';

/** The fields of GitHub's webhook payloads that we read. Everything else may come and go. */

const user = z.object({ login: z.string().min(1), id: z.number(), type: z.string() });

export const repositoryPayload = z.object({
  name: z.string().min(1),
  owner: z.object({ login: z.string().min(1) }),
  default_branch: z.string().min(1),
  private: z.boolean(),
});

const issue = z.object({
  number: z.int().positive(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']),
  locked: z.boolean().default(false),
  user: z.object({ login: z.string() }).nullable(),
  created_at: z.string(),
  html_url: z.string(),
});

/** What every event has that can start a run. */
const origin = { repository: repositoryPayload, sender: user };

/** All that is needed to see that a comment is none of our business. */
export const commentGlance = z.object({
  action: z.string(),
  comment: z.object({ body: z.string() }),
});

export const issueCommentPayload = z.object({
  issue: issue.extend({ pull_request: z.object({}).optional() }),
  comment: z.object({ id: z.number(), created_at: z.string(), user: user.nullable() }),
  ...origin,
});

/** All that is needed to see that a change of an issue or pull request is none of our business. A deleted label has no name. */
export const labelGlance = z.object({
  action: z.string(),
  label: z.object({ name: z.string() }).nullish(),
});

const labelled = issue.extend({ updated_at: z.string() });
export const labelledIssuePayload = z.object({ issue: labelled, ...origin });
export const labelledPullRequestPayload = z.object({ pull_request: labelled, ...origin });

/** All that is needed to see that a workflow run did not fail. */
export const workflowRunGlance = z.object({
  action: z.string(),
  workflow_run: z.object({ conclusion: z.string().nullish(), event: z.string() }),
});

/** A deleted repository has none. */
const repositoryId = z.object({ id: z.number() }).nullish();

export const workflowRunPayload = z.object({
  workflow_run: z.object({
    id: z.number(),
    run_attempt: z.int().positive().default(1),
    name: z.string().nullish(),
    html_url: z.string(),
    event: z.string(),
    head_sha: z.string().min(1),
    head_branch: z.string().nullish(),
    updated_at: z.string(),
    head_commit: z.object({ message: z.string() }).nullish(),
    head_repository: z.object({ full_name: z.string() }).nullish(),
    pull_requests: z.array(
      z.object({
        number: z.int().positive(),
        head: z.object({ ref: z.string(), sha: z.string(), repo: repositoryId }),
        base: z.object({ repo: repositoryId }),
      }),
    ),
  }),
  repository: repositoryPayload.extend({ id: z.number(), full_name: z.string().min(1) }),
  sender: user,
});

export const workflowDispatchPayload = z.object({
  inputs: z.record(z.string(), z.unknown()).nullish(),
  ...origin,
});

/** Text that a person wrote where we do not listen. */
export const unheardPayload = z.object({
  comment: z.object({ body: z.string() }).optional(),
  review: z.object({ body: z.string().nullish() }).optional(),
});

export type UserPayload = z.infer<typeof user>;
export type RepositoryPayload = z.infer<typeof repositoryPayload>;
export type IssuePayload = z.infer<typeof issue>;
export type IssueCommentPayload = z.infer<typeof issueCommentPayload>;
export type WorkflowRunPayload = z.infer<typeof workflowRunPayload>;
export type WorkflowDispatchPayload = z.infer<typeof workflowDispatchPayload>;
