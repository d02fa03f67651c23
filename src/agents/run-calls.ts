import { messageOf, UserError } from '../errors.ts';
import type { Message, ToolCall } from '../types.ts';
import { cutMiddle, SHOWN } from './cut-text.ts';
import type { AgentEnd, AgentOptions } from './loop.ts';
import type { StuckWatch } from './stuck.ts';
import { parseCall } from './tools/parse-call.ts';
import { failure, type ToolResult } from './tools/tool.ts';

const MAX_CALLS = 8;

export interface CallsOptions extends AgentOptions {
  readonly calls: readonly ToolCall[];
  readonly turn: number;
  readonly watch: StuckWatch;
}

export interface CallsDone {
  readonly messages: readonly Message[];
  readonly allMalformed: boolean;
  readonly gateFailures: number;
  readonly end?: AgentEnd;
}

/** Runs the calls of one reply in order. Every call gets exactly one answer, also when it is refused or skipped. */
export async function runCalls(options: CallsOptions): Promise<CallsDone> {
  const answers: { readonly id: string; readonly text: string }[] = [];
  const notes: string[] = [];
  const state = { failedChange: false, malformed: 0, gateFailures: 0 };
  let end: AgentEnd | undefined;
  for (const [index, call] of options.calls.entries()) {
    const skipped = end
      ? 'Not run: the step has ended.'
      : index >= MAX_CALLS
        ? `Not run: at most ${MAX_CALLS} calls in a reply.`
        : undefined;
    if (skipped) {
      answers.push({ id: call.id, text: skipped });
      continue;
    }
    const outcome = await runOne(options, call, state);
    answers.push({ id: call.id, text: outcome.text });
    if (outcome.note) notes.push(outcome.note);
    end = outcome.end;
  }
  const allMalformed = state.malformed === options.calls.length;
  return {
    messages: messagesOf(options, answers, notes),
    allMalformed,
    gateFailures: state.gateFailures,
    ...(end && { end }),
  };
}

interface State {
  failedChange: boolean;
  malformed: number;
  gateFailures: number;
}

interface One {
  readonly text: string;
  readonly note?: string;
  readonly end?: AgentEnd;
}

async function runOne(options: CallsOptions, call: ToolCall, state: State): Promise<One> {
  const parsed = parseCall(options.tools, call);
  if ('error' in parsed) {
    state.malformed++;
    options.emit({
      kind: 'tool-ran',
      role: options.role,
      turn: options.turn,
      name: call.name,
      summary: parsed.error,
      ok: false,
      durationMs: 0,
    });
    return { text: parsed.error };
  }
  const { tool, args } = parsed;
  if (state.failedChange && !tool.readOnly)
    return { text: 'Not run: an earlier change of the same reply failed. Look at its result first.' };

  const started = performance.now();
  const result = await runSafely(() => tool.run(args, options.signal), options);
  options.emit({
    kind: 'tool-ran',
    role: options.role,
    turn: options.turn,
    name: tool.name,
    summary: result.summary,
    ok: result.ok,
    durationMs: performance.now() - started,
  });
  if (!result.ok && !tool.readOnly && tool.name !== 'bash' && tool.name !== 'run_tests')
    state.failedChange = true;
  if (result.end) return ended(options, result, state);

  const advice = options.watch.see({
    tool: tool.name,
    args,
    ok: result.ok,
    text: result.text,
    readOnly: tool.readOnly,
  });
  if (advice?.kind === 'stop')
    return { text: result.text, end: { kind: 'gave-up', why: 'stuck', reason: advice.reason } };
  return { text: result.text, ...(advice && { note: advice.text }) };
}

async function ended(options: CallsOptions, result: ToolResult, state: State): Promise<One> {
  if (result.end?.kind === 'blocked')
    return { text: result.text, end: { kind: 'blocked', block: result.end.block } };
  if (result.end?.kind !== 'finished') return { text: result.text };
  const decided = await options.gate(result.end.report);
  if (decided.accepted) return { text: 'Accepted.', end: { kind: 'finished', report: result.end.report } };
  if (!decided.isStep) state.gateFailures++;
  return { text: decided.feedback };
}

/** A sandbox that is gone ends the run. A defect in a tool must not, and must not pass for the tool's answer: it is told to both sides. */
async function runSafely(run: () => Promise<ToolResult>, options: CallsOptions): Promise<ToolResult> {
  try {
    return await run();
  } catch (error) {
    if (options.signal?.aborted || error instanceof UserError) throw error;
    options.emit({ kind: 'note', level: 'warning', text: `a tool failed: ${messageOf(error)}` });
    return failure(`The tool itself failed: ${messageOf(error).slice(0, 500)}`);
  }
}

function messagesOf(
  options: CallsOptions,
  answers: readonly { readonly id: string; readonly text: string }[],
  notes: readonly string[],
): Message[] {
  const share = fairShare(answers.map(({ text }) => text.length));
  const harness = footer(options, notes);
  const texts = answers.map(
    ({ text }, i) => cutMiddle(text, Math.max(share, 2_000)) + (i === answers.length - 1 ? harness : ''),
  );
  return answers.map(({ id }, i) => ({ role: 'tool', toolCallId: id, content: texts[i] ?? '' }));
}

/** How long each answer may be so that all fit together: what short ones leave over goes to the long ones. */
function fairShare(lengths: readonly number[]): number {
  let left: number = SHOWN.reply;
  for (const [i, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - i));
    if (length > share) return share;
    left -= length;
  }
  return SHOWN.reply;
}

/** What changes from turn to turn stands at the end of the newest result, never in an earlier message, so that the prefix stays cached. */
function footer(options: CallsOptions, notes: readonly string[]): string {
  const stepsLow = options.turn >= options.maxSteps * 0.8;
  const low =
    options.budget.isLow() || stepsLow
      ? [
          `step ${options.turn} of ${options.maxSteps}, ${options.budget.left()}. Finish the smallest correct change, then finish or flag_blocked.`,
        ]
      : [];
  const lines = [...notes, ...low];
  return lines.length > 0 ? `\n<harness>${lines.join(' ')}</harness>` : '';
}
