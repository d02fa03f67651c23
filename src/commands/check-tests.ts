import { saidBy as failureText } from '../evidence/failure-mark.ts';
import type { CheckRow } from '../report/check-table.ts';
import { plural } from '../report/numbers.ts';
import type { Snapshot } from '../sandbox/sandbox.ts';
import { runTests } from '../test-runners/run-tests.ts';
import type { TestCase, TestRun } from '../types.ts';
import type { SandboxDeps } from './deps.ts';
import { disposeAll } from './dispose-all.ts';
import type { Stack } from './stack.ts';
import { tryRow } from './try-row.ts';

/** Runs the repository's own suite once, where a run would: in a fresh sandbox from the snapshot, without network. */
export async function checkTests(
  deps: SandboxDeps,
  stack: Stack,
  snapshot: Snapshot,
): Promise<readonly CheckRow[]> {
  const started = await tryRow({ ...optionsOf(deps, 'Fresh sandbox'), cure: ENGINE_CURE }, async () => ({
    value: await snapshot.start(),
    found: '',
  }));
  const fresh = started.value;
  if (!fresh)
    return [
      started.row,
      { what: 'Tests', state: 'skipped', found: 'no sandbox could be started for them', cure: '' },
    ];
  try {
    const { row, value } = await tryRow(optionsOf(deps, 'Tests'), async () => {
      const { settings, signal } = deps;
      const run = await runTests({
        shell: fresh.shell,
        runner: stack.runner,
        testCommand: stack.testCommand,
        files: [],
        workdir: fresh.workdir,
        scratch: fresh.scratch,
        timeoutMs: Math.max(1_000, Math.min(settings.proofMinutes * 60_000, settings.deadline - Date.now())),
        ...(signal && { signal }),
      });
      signal?.throwIfAborted();
      return { value: run, found: '' };
    });
    return [value ? { what: 'Tests', ...judge(value) } : row];
  } finally {
    await disposeAll(deps.emit, fresh);
  }
}

const optionsOf = ({ emit, signal }: SandboxDeps, what: string) => ({ what, emit, signal });

export const ENGINE_CURE =
  'The engine answers, but can not make or start a snapshot (`docker commit`, `docker run`). Look for a full disk (`docker system df`) or an engine that forbids it; else take another runner, or `sandbox: bubblewrap`.';

type Judgement = Omit<CheckRow, 'what'>;

/** Failed is what blocks every run: no report, or one that its exit code contradicts. Tests that fail do not. */
function judge(run: TestRun): Judgement {
  const cases = run.report?.cases ?? [];
  const errors = run.report?.fileErrors ?? [];
  const count = (status: string) => cases.filter(test => test.status === status).length;
  if (run.report && cases.length + errors.length === 0)
    return { state: 'warning', found: `${run.command}: it ran no tests`, cure: NO_TESTS };
  if (!run.report || run.problem) return unusable(run);
  const failed = cases.filter(test => test.status === 'failed');
  const parts = [
    `${count('passed')} pass`,
    `${failed.length} fail`,
    ...(errors.length > 0 ? [`${plural(errors.length, 'file')} not loaded`] : []),
  ];
  const found = `${run.command}: ${parts.join(', ')}, ${(run.durationMs / 1000).toFixed(1)} s`;
  if (failed.length + errors.length === 0) return { state: 'ok', found, cure: '' };
  const first = failed[0]
    ? nameOf(failed[0])
    : errors[0] && `${errors[0].file}: ${firstLine(errors[0].message)}`;
  const said = [...failed.map(saidBy), ...errors.map(error => error.message)];
  return { state: 'warning', found: `${found}. First: ${first}`, cure: cureForFailures(said) };
}

const nameOf = (test: TestCase): string => `${test.name}: ${test.failure ? failureText(test.failure) : ''}`;
const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';
const saidBy = ({ failure }: TestCase): string => `${failure?.message ?? ''}\n${failure?.stack ?? ''}`;

const NO_TESTS =
  'A run can write the first ones. If there are some, set `test-command` to the command that runs them.';

function cureForFailures(said: readonly string[]): string {
  const lacking = said.filter(text => NETWORK.test(text)).length;
  if (lacking > 0)
    return `${lacking === said.length ? 'The failures look' : `${lacking} of the failures look`} as if ${NEED_NETWORK}`;
  if (said.some(text => MODULE.test(text))) return MISSING_MODULE;
  return 'A run does not blame its change for them, and `/agent fix` finds out why they fail. If they pass elsewhere, something is missing here: `setup-command`, `include`, or another image.';
}

const NEED_NETWORK =
  'they need the network or another service, and the sandbox has none. Start what they need inside, in `test-command`, or leave them out there.';

function unusable(run: TestRun): Judgement {
  const tail = run.log.trim().split('\n').slice(-8).join('\n');
  const found = `${run.command}: ${run.problem ?? 'no report'}${tail && `: ${tail}`}`;
  return { state: 'failed', found, cure: cureFor(run) };
}

/** What mends a suite that tells nothing, as far as its own words show it. */
export function cureFor({ exit, log, report, command }: TestRun): string {
  if (exit.kind === 'timeout') return 'Raise `proof-minutes`, or name fewer tests in `test-command`.';
  if (exit.kind === 'out-of-memory')
    return "Raise `--memory` in the service's `options:`, or let `test-command` run fewer tests at once.";
  const missing = cureForMissingProgram(log);
  if (missing) return missing;
  if (MODULE.test(log)) return MISSING_MODULE;
  if (NETWORK.test(log)) return `It looks as if ${NEED_NETWORK}`;
  const script = /Missing script: "?([\w:.-]+)/.exec(log)?.[1];
  if (script) return `package.json has no script \`${script}\`: correct \`test-command\`.`;
  if (!report && exit.kind === 'code' && exit.code === 0)
    return 'The command ended well, but ran no tests that report to this test stack. Set `test-command` to the command that runs them, such as `npm test`.';
  if (report && report.cases.length > 0)
    return 'Set `test-command` to one that fails for tests alone, without coverage thresholds, linters or type checks.';
  return `Make \`${command.replaceAll('`', '')}\` work in the sandbox's image: set \`setup-command\`, \`test-command\` or another image.`;
}

const NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENETDOWN)\b|getaddrinfo|name resolution|Name or service not known|Network is unreachable|Connection refused|Could not resolve host|fetch failed/i;
const MODULE = /Cannot find (?:module|package)|MODULE_NOT_FOUND|No module named|ModuleNotFoundError/;
const MISSING_MODULE =
  'A dependency is missing in the sandbox. Set `setup-command` to what installs it, such as `npm ci` or `pip install -e .[test]`.';

/** As dash, bash, busybox and `env` say it. */
const MISSING_PROGRAM =
  /(?:^|[\s:])([\w.+-]+): (?:command )?not found|env: [‘'"]?([\w.+-]+)[’'"]?: No such file/m;

const OF_IMAGES =
  /^(?:node|npm|npx|pnpm|yarn|corepack|bun|deno|python[\d.]*|pip[\d.]*|uv|poetry|git|make|gcc|bash)$/;

/** What to do when an output says that a program is not there; undefined when it does not. */
export function cureForMissingProgram(log: string): string | undefined {
  const program = MISSING_PROGRAM.exec(log)?.slice(1).find(Boolean);
  return program && cureForProgram(program);
}

const cureForProgram = (program: string): string =>
  OF_IMAGES.test(program)
    ? `The sandbox's image has no \`${program}\`. Take one that has, such as \`image: node:24-bookworm\` or \`image: python:3.13-bookworm\` for the service, or install it in \`root-setup-command\`.`
    : `\`${program}\` is not installed in the sandbox. Set \`setup-command\` to what installs it, such as \`npm ci\` or \`pip install -e .[test]\`.`;
