import { UserError } from '../errors.ts';
import { COMMANDS, type CommandName, isCommandName, isGivenIn } from './command.ts';
import { type WorkflowDispatchPayload, workflowDispatchPayload } from './payloads.ts';
import { originOf, readPayload } from './read-payload.ts';
import type { DispatchSource, Trigger } from './trigger.ts';

type ReadInput = (name: string) => string;

/** A run that somebody started by hand or by the API. Inputs that make no sense are a `UserError`: the form can be filled in again. */
export function parseDispatch(payload: unknown): Trigger {
  const event = readPayload(workflowDispatchPayload, payload, 'workflow_dispatch');
  const input = inputsOf(event);
  const command = commandOf(input);
  const source: DispatchSource = {
    kind: 'dispatch',
    task: input('task'),
    base: input('base') || undefined,
    pullRequest: pullRequestOf(input),
  };
  const origin = { source, ...originOf(event) };
  if (command === 'help') return { kind: 'question', about: 'help', word: command, ...origin };
  if (command === 'implement') assertTaskAlone(source);
  return { kind: 'command', command, words: '', ...origin };
}

/** Inputs are text, but a number or a choice may come as itself. */
const inputsOf =
  ({ inputs }: WorkflowDispatchPayload): ReadInput =>
  name => {
    const value = inputs?.[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  };

function commandOf(input: ReadInput): CommandName {
  const command = (input('command') || 'implement').toLowerCase();
  if (isCommandName(command) && COMMANDS[command].available && isGivenIn(command, 'dispatch')) return command;
  const cure =
    command === 'cancel'
      ? 'Open the run on the Actions page and press "Cancel workflow" there.'
      : `Use one of: ${dispatchable().join(', ')}.`;
  throw new UserError(
    `The input "command" of this workflow_dispatch is "${command}", which can not be run this way.`,
    cure,
  );
}

const dispatchable = () =>
  Object.keys(COMMANDS)
    .filter(isCommandName)
    .filter(name => COMMANDS[name].available && isGivenIn(name, 'dispatch'));

function pullRequestOf(input: ReadInput): number | undefined {
  const text = input('pull-request');
  if (!text) return undefined;
  const number = /^#?([1-9]\d{0,9})$/.exec(text)?.[1];
  if (number) return Number(number);
  throw new UserError(
    `The input "pull-request" of this workflow_dispatch is "${text.slice(0, 40)}", which is no number.`,
    'Give the number of the pull request, such as 12, or leave the input empty.',
  );
}

function assertTaskAlone({ task, pullRequest }: DispatchSource): void {
  if (!task)
    throw new UserError(
      'The input "task" of this workflow_dispatch is empty, so there is nothing to do.',
      'Start the workflow again and say in "task" what shall be built.',
    );
  if (pullRequest !== undefined)
    throw new UserError(
      `The command "implement" starts from a task, not from the pull request #${pullRequest}.`,
      'Leave "pull-request" empty, or use the command "fix".',
    );
}
