import type { AssistantMessage, Message, Usage } from '../types.ts';

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  /** The conversation this belongs to, and its turn from 1; sent along as headers, so that a replay or a gateway can tell. */
  readonly role: string;
  readonly turn: number;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly signal?: AbortSignal;
  /** Told before each wait for another try. */
  readonly onRetry?: (reason: string, waitMs: number) => void;
  /** Text as it arrives, for a heartbeat in the log. */
  readonly onText?: (text: string) => void;
}

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter';

export interface ModelReply {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

/** One chat model behind one endpoint. `complete` throws a ModelError when the endpoint gives no usable answer after its retries. */
export interface Model {
  readonly name: string;
  readonly complete: (request: ModelRequest) => Promise<ModelReply>;
}

export type ModelErrorKind =
  | 'no-key'
  | 'rejected-key'
  | 'unknown-model'
  | 'rate-limited'
  | 'out-of-quota'
  | 'context-too-long'
  | 'content-filtered'
  | 'timed-out'
  | 'unreachable'
  | 'bad-request'
  | 'broken-answer'
  | 'server-error';

/** Says what the endpoint did, why, and (`cure`) what a person can do about it. No message ever contains the key. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly cure: string;
  readonly status: number | undefined;

  constructor(
    kind: ModelErrorKind,
    message: string,
    cure: string,
    options: ErrorOptions & { readonly status?: number } = {},
  ) {
    super(message, options);
    this.name = 'ModelError';
    this.kind = kind;
    this.cure = cure;
    this.status = options.status;
  }
}
