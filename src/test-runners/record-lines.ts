import type { z } from 'zod';

/**
 * Reads what a reporter of ours wrote: one JSON object a line, framed by `start` and `end`. Throws for a report that is
 * none, has a line that `schema` refuses, or is cut off.
 */
export function readRecordLines<S extends z.ZodType<{ readonly kind: string }>>(
  report: Buffer,
  schema: S,
  runner: string,
): z.infer<S>[] {
  const lines = report.toString('utf8').split('\n').filter(Boolean);
  const records = lines.map((line, index) => readRecord(line, index + 1, schema));
  if (records[0]?.kind !== 'start') throw new Error(`the report is not one of our ${runner} reporter`);
  if (records.at(-1)?.kind !== 'end')
    throw new Error('the report is cut off: the test process ended too early');
  return records;
}

function readRecord<S extends z.ZodType>(line: string, number: number, schema: S): z.infer<S> {
  try {
    return schema.parse(JSON.parse(line));
  } catch (error) {
    throw new Error(`line ${number} of the report is not a record of ours`, { cause: error });
  }
}
