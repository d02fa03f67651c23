import { COMMANDS } from '../events/command.ts';
import { type QuestionTrigger, threadOf } from '../events/trigger.ts';
import { type HelpPlace, helpText } from '../report/help.ts';

/** A short reply to a command that can not be obeyed, or that asks for help. */
export function answerQuestion(question: QuestionTrigger): string {
  const commands = Object.entries(COMMANDS).flatMap(([name, { available, summary, where }]) =>
    available ? [{ name, summary, where }] : [],
  );
  return helpText({ about: question.about, word: question.word, commands, place: placeOf(question) });
}

function placeOf({ source }: QuestionTrigger): HelpPlace {
  if (source.kind === 'issue-comment') return source.issue.isPullRequest ? 'pull-request' : 'issue';
  return threadOf(source) === undefined ? 'dispatch' : 'pull-request';
}
