import { answeredBy, type Source, threadOf } from '../events/trigger.ts';
import type { GitHub } from '../github/client.ts';
import { createProgressComment, runMark } from '../github/progress-comment.ts';
import { logLines } from '../lib/log.ts';
import { sanitizeForLog } from '../report/log-text.ts';
import type { Emit } from '../run-events.ts';

/** One comment that is complete at once. Where there is no conversation, or it refuses, the text stands in the log. */
export async function reply(
  github: GitHub,
  source: Source,
  runId: string,
  body: string,
  emit: Emit,
): Promise<void> {
  const issue = threadOf(source);
  if (issue === undefined) return logLines(sanitizeForLog(body).split('\n'));
  const mark = runMark(runId, answeredBy(source));
  const comment = await createProgressComment(github, { issue, mark, body });
  if ('show' in comment) return;
  const needs = comment.needs ? ` (needs ${comment.needs})` : '';
  emit({ kind: 'note', level: 'warning', text: `no reply could be posted: ${comment.message}${needs}` });
  logLines(sanitizeForLog(body).split('\n'));
}
