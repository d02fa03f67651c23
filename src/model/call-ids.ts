import type { Message } from '../types.ts';

/** The ids of all calls in a conversation. */
export const callIdsIn = (messages: readonly Message[]): ReadonlySet<string> =>
  new Set(
    messages.flatMap(message => (message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [])),
  );

/** Hands out ids that are unique in a conversation: the wanted one where it is free, `call_<n>` where none is wanted. */
export function createCallIds(taken: ReadonlySet<string>): (wanted: string) => string {
  const used = new Set(taken);
  return wanted => {
    let id = wanted || 'call_1';
    for (let n = 2; used.has(id); n++) id = wanted ? `${wanted}_${n}` : `call_${n}`;
    used.add(id);
    return id;
  };
}
