/**
 * A trial on a real package: a command on an issue or a pull request of your own, against the local GitHub, with a live model.
 *
 *   npm run trial -- --sample FOLDER --issue ISSUE.md [--python] [--npm] [--command "/agent implement"] [--input name=value …]
 *
 *   … --head FOLDER [--log JOB-LOG]    the sample's files with the changes of a pull request; the log of its failed job
 *
 * The first line of ISSUE.md is the title (of the issue, or of the pull request). Needs MODEL and OPENAI_BASE_URL or OPENAI_API_KEY.
 */
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runDemo } from './lib/demo.ts';
import { showResult } from './lib/show-result.ts';

const USAGE = `usage: MODEL=… OPENAI_API_KEY=… npm run trial -- --sample FOLDER --issue ISSUE.md [options]

  --sample FOLDER    files of the repository's default branch
  --issue FILE       text of the issue or pull request; the first line is its title
  --command TEXT     default "/agent implement", with --head "/agent fix"; also "/agent check"
  --head FOLDER      the files with the changes of a pull request
  --log FILE         log of a job that failed at that head; then nobody comments
  --input NAME=VALUE an input of the action; may be given again
  --python, --npm    add these to the sandbox's image

OPENAI_BASE_URL names another endpoint than OpenAI's.`;

const values = parseOptions();
const { OPENAI_API_KEY = '', OPENAI_BASE_URL, MODEL } = process.env;
if (!values.sample || !values.issue || !MODEL || (!OPENAI_API_KEY && !OPENAI_BASE_URL)) {
  console.error(USAGE);
  process.exit(2);
}
const sample = resolve(values.sample);
const [title = '', ...body] = readFileSync(values.issue, 'utf8').split('\n');
const demo = await runDemo({
  task: {
    sample,
    name: basename(sample),
    issue: { title: title.replace(/^#\s*/, ''), body: body.join('\n').trim() },
    command: values.command ?? (values.head ? '/agent fix' : '/agent implement'),
    ...(values.head && { head: resolve(values.head) }),
    ...(values.log && { log: withoutStamps(readFileSync(values.log, 'utf8')) }),
  },
  model: { apiKey: OPENAI_API_KEY, baseUrl: OPENAI_BASE_URL, name: MODEL },
  python: values.python,
  npm: values.npm,
  inputs: Object.fromEntries(
    values.input.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  ),
  say: line => console.log(line),
});
await showResult(demo, line => console.log(line));
await demo.github.close();
process.exit(demo.result.main.exitCode ?? 1);

/** A log as it was downloaded has a time before each line; the local GitHub puts its own there. */
function withoutStamps(log: string): string {
  return log.replace(/^\uFEFF?\d{4}-\d\d-\d\dT[\d:.]+Z ?/gm, '');
}

function parseOptions() {
  try {
    return parseArgs({
      options: {
        sample: { type: 'string' },
        issue: { type: 'string' },
        python: { type: 'boolean', default: false },
        npm: { type: 'boolean', default: false },
        command: { type: 'string' },
        head: { type: 'string' },
        log: { type: 'string' },
        input: { type: 'string', multiple: true, default: [] },
      },
    }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}
