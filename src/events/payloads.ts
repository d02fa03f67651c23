import { z } from 'zod';

/** The fields of GitHub's webhook payloads that we read. Everything else may come and go. */

const user = z.object({ login: z.string().min(1), id: z.number(), type: z.string() });

export const repositoryPayload = z.object({
  name: z.string().min(1),
  owner: z.object({ login: z.string().min(1) }),
  default_branch: z.string().min(1),
  private: z.boolean(),
});

/** All that is needed to see that a comment is none of our business. */
export const commentGlance = z.object({
  action: z.string(),
  comment: z.object({ body: z.string() }),
});

export const issueCommentPayload = z.object({
  issue: z.object({
    number: z.int().positive(),
    title: z.string(),
    body: z.string().nullish(),
    state: z.enum(['open', 'closed']),
    locked: z.boolean().default(false),
    user: z.object({ login: z.string() }).nullable(),
    created_at: z.string(),
    html_url: z.string(),
    pull_request: z.object({}).optional(),
  }),
  comment: z.object({ id: z.number(), created_at: z.string(), user: user.nullable() }),
  repository: repositoryPayload,
  sender: user,
});

export const workflowDispatchPayload = z.object({
  inputs: z.record(z.string(), z.unknown()).nullish(),
  repository: repositoryPayload,
  sender: user,
});

export type UserPayload = z.infer<typeof user>;
export type RepositoryPayload = z.infer<typeof repositoryPayload>;
export type IssueCommentPayload = z.infer<typeof issueCommentPayload>;
