import { COMMANDS } from '../events/command.ts';
import { type QuestionTrigger, threadOf } from '../events/trigger.ts';
import type { GitHub } from '../github/client.ts';
import { createProgressComment, runMark } from '../github/progress-comment.ts';
import { helpText } from '../report/help.ts';
import type { Emit } from '../run-events.ts';

/** A short reply to a command that can not be obeyed: unknown, not there yet, or in the wrong place. */
export async function answerQuestion(
  github: GitHub,
  question: QuestionTrigger,
  runId: string,
  emit: Emit,
): Promise<void> {
  const available = Object.entries(COMMANDS).flatMap(([name, { available, summary }]) =>
    available || name === 'help' ? [{ name, summary }] : [],
  );
  const body = helpText({ about: question.about, word: question.word, commands: available });
  const issue = threadOf(question.source);
  if (issue === undefined) return;
  const comment = await createProgressComment(github, { issue, mark: runMark(runId), body });
  if (!('show' in comment))
    emit({ kind: 'note', level: 'warning', text: `no reply could be posted: ${comment.message}` });
}
