import { shellQuote } from '../../lib/shell-quote.ts';
import type { FunctionSpec } from '../../types.ts';
import { enforcePolicy, objectionText } from '../enforce-policy.ts';
import type { AgentEnd } from '../loop.ts';
import { specifyPrompt } from '../prompts/specify.ts';
import { orderSpecs } from '../spec-order.ts';
import type { FinishReport } from '../tools/tool.ts';
import type { TreeState } from '../tree-state.ts';
import type { Workbench } from '../workbench.ts';
import { brokenTests } from './broken-tests.ts';
import { decideGate } from './decide-gate.ts';
import { gateSummary, runRole } from './role.ts';

export interface Specification {
  /** In dependency order. */
  readonly functions: readonly FunctionSpec[];
  /** Sentences about files; true as long as the file stays as it is here. */
  readonly descriptions: FinishReport['files'];
  /** The base with stubs. */
  readonly stubs: TreeState;
}

export type SpecifierEnd =
  | { readonly kind: 'specified'; readonly specification: Specification }
  | Exclude<AgentEnd, { kind: 'finished' }>;

/** Step 1: function specs as data, and stubs. Gate: the specs are in order, the stubs are there, and what passed still passes. */
export async function specify(bench: Workbench): Promise<SpecifierEnd> {
  const { runner } = bench;
  const objectTo = (path: string) =>
    runner.isTestPath(path)
      ? 'tests are written in the next step, by someone else'
      : runner.isConfigPath(path)
        ? 'configuration stays as it is'
        : undefined;
  let accepted: Specification | undefined;

  const gate = async (report: FinishReport) => {
    const decided = await judge(bench, report.functions, objectTo);
    if ('specification' in decided) accepted = { ...decided.specification, descriptions: report.files };
    const problem = 'problem' in decided ? decided.problem : undefined;
    return decideGate(
      bench.emit,
      'specification',
      problem,
      `functions specified: ${report.functions.map(spec => spec.name).join(', ')}`,
    );
  };

  const end = await runRole(bench, {
    role: 'specifier',
    brief: specifyPrompt({
      environment: bench.environment,
      task: bench.task,
      stubStatement: runner.stubStatement,
    }),
    maxSteps: bench.maxSteps.specifier,
    objectTo,
    defaultTests: async () => [],
    newTests: [],
    gate,
  });
  if (end.kind !== 'finished') return end;
  if (!accepted) throw new Error('the specification was accepted but is not there');
  return { kind: 'specified', specification: accepted };
}

async function judge(
  bench: Workbench,
  given: readonly FunctionSpec[],
  objectTo: (path: string) => string | undefined,
): Promise<{ readonly specification: Omit<Specification, 'descriptions'> } | { readonly problem: string }> {
  if (given.length === 0)
    return {
      problem:
        'finish needs `functions`: one entry for each function, method or command that the request adds or changes.',
    };
  const order = orderSpecs(given);
  if (!order.ok) return { problem: order.problem };
  const { state, objections } = await enforcePolicy(bench, [], { objectTo });
  if (objections.length > 0) return { problem: objectionText(objections) };
  const missing = await missingFunctions(bench, order.functions);
  if (missing.length > 0)
    return {
      problem: `Not found in the code: ${missing.join(', ')}. Create the stubs, or correct name and file.`,
    };
  const run = await bench.runTests('specification gate', []);
  const broken = brokenTests(run, bench.baseline);
  if (broken) return { problem: `${broken}\n${gateSummary(bench, run, [], true)}` };
  return { specification: { functions: order.functions, stubs: state } };
}

/** Specs whose file is not there, or holds neither the function's own name nor that of the type which it is a member of (an inherited one). */
async function missingFunctions(bench: Workbench, functions: readonly FunctionSpec[]): Promise<string[]> {
  const missing: string[] = [];
  for (const spec of functions) {
    const words = spec.name.replace(/\(.*$/s, '').match(/[\w$-]+/g) ?? [spec.name];
    const file = shellQuote(`./${spec.file.replace(/^\.?\//, '')}`);
    const patterns = words.slice(-2).map(word => `-e ${shellQuote(word)}`);
    const found = await bench.sandbox.shell({
      script: `[ -f ${file} ] && grep -qF ${patterns.join(' ')} ${file}`,
      timeoutMs: 20_000,
    });
    if (found.exit.kind !== 'code' || found.exit.code !== 0) missing.push(`${spec.name} in ${spec.file}`);
  }
  return missing;
}
