import type { Model, ModelReply, ModelRequest } from '../../src/model/model.ts';

export type ScriptedReply =
  | {
      readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
      readonly content?: string;
    }
  | { readonly content: string; readonly finishReason?: ModelReply['finishReason'] }
  | { readonly error: Error };

/** A model that plays lines in order, records what it was asked, and throws when the script runs out. */
export function scriptedModel(
  script: readonly (ScriptedReply | ((request: ModelRequest) => ScriptedReply))[],
): Model & { readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const complete = async (request: ModelRequest): Promise<ModelReply> => {
    const line = script[requests.length];
    requests.push(request);
    if (!line)
      throw new Error(`the script has no line ${requests.length} (${request.role}, turn ${request.turn})`);
    const reply = typeof line === 'function' ? line(request) : line;
    if ('error' in reply) throw reply.error;
    const calls = 'calls' in reply ? reply.calls : [];
    return {
      message: {
        role: 'assistant',
        content: reply.content ?? '',
        toolCalls: calls.map((call, i) => ({
          id: `call_${requests.length}_${i}`,
          name: call.name,
          arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
        })),
      },
      finishReason:
        ('finishReason' in reply && reply.finishReason) || (calls.length > 0 ? 'tool-calls' : 'stop'),
      usage: { calls: 1, inputTokens: 100, cachedInputTokens: 0, outputTokens: 10, costUsd: 0.001 },
    };
  };
  return { name: 'scripted', complete, requests };
}
