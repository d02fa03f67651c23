import { codeFence, codeSpan } from './markdown.ts';
import { nearestWord } from './nearest.ts';

export type HelpPlace = 'issue' | 'pull-request' | 'dispatch';

export interface HelpCommand {
  readonly name: string;
  /** Markdown of ours. */
  readonly summary: string;
  /** Where it can be given; absent means everywhere. */
  readonly where?: readonly HelpPlace[] | undefined;
}

export interface HelpInput {
  readonly about: 'help' | 'unknown-command' | 'not-available' | 'pull-request';
  /** The word that was taken for a command; outside text. */
  readonly word: string;
  /** Those that can be given now; others are not mentioned. */
  readonly commands: readonly HelpCommand[];
  /** Where the question was asked. Default: a pull request when the question is about one, else an issue. */
  readonly place?: HelpPlace | undefined;
  /** Default `/agent`. */
  readonly trigger?: string | undefined;
}

/** The reply to a command that starts no run. All of it when help was asked for; otherwise short. */
export function helpText(input: HelpInput): string {
  const place = input.place ?? (input.about === 'pull-request' ? 'pull-request' : 'issue');
  const asked: Asked = { ...input, place, trigger: input.trigger ?? '/agent' };
  return TEXTS[input.about](asked)
    .filter(part => part !== '')
    .join('\n\n');
}

type Asked = HelpInput & { readonly place: HelpPlace; readonly trigger: string };

const TEXTS: Readonly<Record<HelpInput['about'], (asked: Asked) => string[]>> = {
  help: asked => [
    here(asked).length > 0 ? `I know these commands ${PLACES[asked.place]}:` : '',
    here(asked)
      .map(({ name, summary }) => `- ${given(asked, name)}: ${summary}`)
      .join('\n'),
    examples(asked),
    elsewhere(asked),
  ],
  'unknown-command': asked => [`${unknown(asked)}${suggestion(asked)}`, known(asked)],
  'not-available': asked => [`The command ${given(asked, asked.word)} is not available yet.`, known(asked)],
  'pull-request': asked => [
    `${given(asked, asked.word)} starts from an issue, not from a pull request. Give it in a comment on the issue.${fixInstead(asked)}`,
    known(asked),
  ],
};

const PLACES: Readonly<Record<HelpPlace, string>> = {
  issue: 'on an issue',
  'pull-request': 'on a pull request',
  dispatch: 'in the input `command`',
};

const isHere = ({ where }: HelpCommand, place: HelpPlace): boolean => where?.includes(place) ?? true;

const here = ({ commands, place }: Asked): readonly HelpCommand[] =>
  commands.filter(command => isHere(command, place));

/** A command as it is written in that place; in a dispatch the trigger is not. */
const given = ({ trigger, place }: Asked, name: string): string =>
  codeSpan(place === 'dispatch' ? name : `${trigger} ${name}`, 60);

const unknown = (asked: Asked): string =>
  asked.word.trim() === ''
    ? `After ${codeSpan(asked.trigger, 60)} comes a command.`
    : `I do not know the command ${codeSpan(asked.word, 40)}.`;

function suggestion(asked: Asked): string {
  const nearest = nearestWord(
    asked.word,
    asked.commands.map(({ name }) => name),
  );
  const command = asked.commands.find(({ name }) => name === nearest);
  if (!command || asked.word.trim() === '') return '';
  const where = isHere(command, asked.place) ? '' : ` It is given ${placesOf(command)}.`;
  return ` Did you mean ${given(asked, command.name)}?${where}`;
}

const placesOf = ({ where = [] }: HelpCommand): string => where.map(place => PLACES[place]).join(' or ');

function known(asked: Asked): string {
  const names = here(asked).map(({ name }) => given(asked, name));
  if (names.length === 0) return '';
  const more = here(asked).some(({ name }) => name === 'help')
    ? ` ${given(asked, 'help')} says what they do.`
    : '';
  return `I know ${names.join(', ')} ${PLACES[asked.place]}.${more}`;
}

function fixInstead(asked: Asked): string {
  const fix = here(asked).find(({ name }) => name === 'fix');
  return fix ? ` For a pull request there is ${given(asked, 'fix')}: ${fix.summary}.` : '';
}

function elsewhere(asked: Asked): string {
  const others = asked.commands.filter(command => !isHere(command, asked.place));
  const named = others.map(command => `${codeSpan(command.name, 60)} (${placesOf(command)})`);
  return named.length > 0 ? `Elsewhere: ${named.join(', ')}.` : '';
}

/** Two lines as they can be written here, of commands that there are. */
function examples(asked: Asked): string {
  const all = here(asked).flatMap(({ name }) =>
    (EXAMPLES[name]?.[asked.place] ?? []).map(words => ({ name, words })),
  );
  // One of each command first.
  const firsts = all.filter(({ name }, index) => all.findIndex(other => other.name === name) === index);
  const two = [...firsts, ...all.filter(example => !firsts.includes(example))].slice(0, 2);
  const lines = two.map(({ name, words }) =>
    asked.place === 'dispatch'
      ? `command: ${name}${words && `, task: ${words}`}`
      : `${asked.trigger} ${name} ${words}`.trimEnd(),
  );
  return lines.length > 0 ? `For example:\n\n${codeFence(lines.join('\n'), 'text')}` : '';
}

const EXAMPLES: Readonly<Partial<Record<string, Partial<Record<HelpPlace, readonly string[]>>>>> = {
  implement: {
    issue: ['keep the old signature', ''],
    dispatch: ['add a function that makes a slug of a title'],
  },
  fix: {
    issue: ['an empty cart has a total of NaN', ''],
    'pull-request': ['', 'the date tests fail in winter'],
    dispatch: ['an empty cart has a total of NaN'],
  },
  check: { issue: [''], 'pull-request': [''], dispatch: [''] },
};
