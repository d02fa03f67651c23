import { answeredBy, type Source, threadOf } from '../events/trigger.ts';
import type { GitHub } from '../github/client.ts';
import { createProgressComment, runMark } from '../github/progress-comment.ts';
import type { Emit } from '../run-events.ts';

/** One comment that is complete at once. A refusal is noted; without a conversation there is nobody to reply to. */
export async function reply(
  github: GitHub,
  source: Source,
  runId: string,
  body: string,
  emit: Emit,
): Promise<void> {
  const issue = threadOf(source);
  if (issue === undefined) return;
  const mark = runMark(runId, answeredBy(source));
  const comment = await createProgressComment(github, { issue, mark, body });
  if (!('show' in comment))
    emit({ kind: 'note', level: 'warning', text: `no reply could be posted: ${comment.message}` });
}
