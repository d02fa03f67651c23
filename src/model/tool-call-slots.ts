import type { ToolCall } from '../types.ts';
import { createCallIds } from './call-ids.ts';
import { asRecord, asText, isJsonObject } from './json.ts';

/** One call as it grows. */
interface Slot {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  fields: Record<string, unknown>;
}

interface Delta {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface ToolCallSlots {
  readonly add: (delta: unknown) => void;
  /** The calls, with ids that are unique among themselves and those taken, and what else the endpoint wrote on each, by id. */
  readonly finish: () => {
    readonly calls: readonly ToolCall[];
    readonly fields: Readonly<Record<string, unknown>>;
  };
}

/**
 * Puts the pieces of tool calls together. Which call a piece belongs to is told by id, else by index, else by order;
 * a name begins a new call where those say nothing, because no server is known to send a name in pieces.
 */
export function createToolCallSlots(taken: ReadonlySet<string> = new Set()): ToolCallSlots {
  const slots: Slot[] = [];
  return {
    add: raw => {
      const delta = parseDelta(raw);
      if (!delta) return;
      const slot = slotFor(slots, delta) ?? openSlot(slots, delta);
      slot.index ??= delta.index;
      slot.id ||= delta.id;
      slot.name ||= delta.name;
      Object.assign(slot.fields, delta.fields);
      // Some servers send the whole arguments once more at the end.
      const again = delta.arguments === slot.arguments && isJsonObject(slot.arguments);
      if (!again) slot.arguments += delta.arguments;
    },
    finish: () => finish(slots, taken),
  };
}

function parseDelta(raw: unknown): Delta | undefined {
  const record = asRecord(raw);
  if (!record) return undefined;
  const { index, id, type: _type, function: called, ...fields } = record;
  const { name, arguments: given } = asRecord(called) ?? {};
  const text = typeof given === 'object' && given !== null ? JSON.stringify(given) : asText(given);
  const place = typeof index === 'number' ? index : undefined;
  return { index: place, id: asText(id), name: asText(name), arguments: text, fields };
}

function slotFor(slots: readonly Slot[], delta: Delta): Slot | undefined {
  const sameId = slots.findLast(slot => delta.id !== '' && slot.id === delta.id);
  const samePlace =
    delta.index === undefined ? slots.at(-1) : slots.findLast(slot => slot.index === delta.index);
  return [sameId, samePlace].find(slot => slot && continues(slot, delta));
}

/** Whether a piece goes on with this call. Some servers make up a new id for every piece, some give two calls one id. */
function continues(slot: Slot, delta: Delta): boolean {
  if (slot.index !== undefined && delta.index !== undefined && slot.index !== delta.index) return false;
  if (delta.name === '' || slot.name === '') return true;
  if (delta.name !== slot.name) return false;
  if (delta.id !== '' && slot.id !== '' && delta.id !== slot.id) return false;
  return delta.arguments === '' || delta.arguments === slot.arguments || !isJsonObject(slot.arguments);
}

function openSlot(slots: Slot[], { index, id }: Delta): Slot {
  const slot: Slot = { index, id, name: '', arguments: '', fields: {} };
  slots.push(slot);
  return slot;
}

function finish(slots: readonly Slot[], taken: ReadonlySet<string>) {
  const nextId = createCallIds(taken);
  const calls: ToolCall[] = [];
  const fields: Record<string, unknown> = {};
  for (const slot of slots) {
    if (slot.name === '' && slot.arguments === '') continue;
    const id = nextId(slot.id);
    calls.push({ id, name: slot.name, arguments: slot.arguments.trim() || '{}' });
    if (Object.keys(slot.fields).length > 0) fields[id] = slot.fields;
  }
  return { calls, fields };
}
