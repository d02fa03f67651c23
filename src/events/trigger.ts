import type { CommandName } from './command.ts';

/** Who gave the command. */
export interface Sender {
  readonly login: string;
  readonly id: number;
}

/** An issue or pull request as it was when the command was given: from the payload, never fetched again. Title and body are raw. */
export interface IssueSnapshot {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly url: string;
  readonly state: 'open' | 'closed';
  readonly locked: boolean;
  readonly isPullRequest: boolean;
}

export interface CommentSource {
  readonly kind: 'issue-comment';
  readonly issue: IssueSnapshot;
  readonly commentId: number;
  /** ISO 8601: the time of the command. */
  readonly commentCreatedAt: string;
}

/** A label such as `agent:fix` that was put on an issue or a pull request. */
export interface LabelSource {
  readonly kind: 'label';
  readonly issue: IssueSnapshot;
  readonly label: string;
  /** ISO 8601: `updated_at` of the payload, which the label set. */
  readonly labelledAt: string;
}

/** A workflow run of a pull request that failed: nobody asked, so there are more guards. */
export interface WorkflowRunSource {
  readonly kind: 'workflow-run';
  /** Number of the pull request. */
  readonly pullRequest: number;
  readonly failed: {
    readonly runId: number;
    readonly attempt: number;
    /** The workflow's name; outside text. */
    readonly name: string;
    readonly url: string;
    readonly headSha: string;
    readonly headBranch: string;
    /** ISO 8601. */
    readonly endedAt: string;
  };
}

export interface DispatchSource {
  readonly kind: 'dispatch';
  /** Empty for `fix` of a pull request or of a red branch, and for commands that need no words. */
  readonly task: string;
  /** The branch to start from; undefined means the default branch. */
  readonly base: string | undefined;
  /** A pull request to work on. */
  readonly pullRequest: number | undefined;
}

export type Source = CommentSource | LabelSource | WorkflowRunSource | DispatchSource;

export interface EventRepository {
  readonly owner: string;
  readonly name: string;
  readonly defaultBranch: string;
  readonly private: boolean;
}

interface Origin {
  readonly sender: Sender;
  readonly repository: EventRepository;
}

/** Something to carry out. `words` and the issue's texts are as people wrote them: clean them before a model reads them. */
export type CommandTrigger = Origin & {
  readonly kind: 'command';
  readonly command: CommandName;
  readonly words: string;
  readonly source: Source;
};

/** Meant for us, but nothing to run: the sender gets a short reply, if permitted. */
export type QuestionTrigger = Origin & {
  readonly kind: 'question';
  /** `pull-request`: a command that starts from an issue alone. */
  readonly about: 'help' | 'unknown-command' | 'not-available' | 'pull-request';
  /** The word that was taken for a command. */
  readonly word: string;
  readonly source: CommentSource | DispatchSource;
};

/** What an event asks for. */
export type Trigger =
  | { readonly kind: 'ignored'; readonly reason: string }
  | CommandTrigger
  | QuestionTrigger;

/** Every comment of ours carries a hidden mark that begins like this, so that none can start a run. */
export const OWN_MARK = '<!-- redgreen:';

/** The issue or pull request in which a run is told; undefined for a dispatch about none. */
export function threadOf(source: Source): number | undefined {
  switch (source.kind) {
    case 'issue-comment':
    case 'label':
      return source.issue.number;
    case 'workflow-run':
    case 'dispatch':
      return source.pullRequest;
  }
}

/** The pull request that a source is about, if it is about one. */
export const pullRequestOf = (source: Source): number | undefined =>
  'issue' in source ? (source.issue.isPullRequest ? source.issue.number : undefined) : source.pullRequest;

/** What a run answers, in a word for the mark of its comment; undefined when there is nothing that could come twice. */
export function answeredBy(source: Source): string | undefined {
  switch (source.kind) {
    case 'issue-comment':
      return `comment-${source.commentId}`;
    case 'label':
      return `label-${source.labelledAt.replaceAll(/\D/g, '')}-${source.label.replaceAll(/[^\w-]/g, '-')}`;
    case 'workflow-run':
      return `failure-${source.failed.headSha}`;
    case 'dispatch':
      return undefined;
  }
}

/** The issue that a source is about, if it is about one and not about a pull request. */
export const issueOf = (source: Source): number | undefined =>
  'issue' in source && !source.issue.isPullRequest ? source.issue.number : undefined;
