/** action.yml, the configuration, the outputs, the README and the examples say the same. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS, isCommandName, isGivenIn } from '../src/events/command.ts';
import { VERSION } from '../src/version.ts';
import { readActionFile } from './local-github/action-yml.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const action = await readActionFile(ROOT);
const actionText = read('action.yml');
const config = read('src/config.ts');

describe('inputs', () => {
  const used = new Set(
    [...config.matchAll(/\b(?:input|required|positive)\('([a-z-]+)'/g)].map(match => match[1]!),
  );
  for (const name of ['github-token', 'openai-api-key']) used.add(name);

  it('that are declared are the ones that are read', () => {
    expect([...used].sort()).toEqual([...action.inputs.keys()].sort());
  });

  it('are at most twenty', () => {
    expect(action.inputs.size).toBeLessThanOrEqual(20);
  });

  it('have their numbers as defaults where the configuration wants a number', () => {
    const numbers = [...config.matchAll(/positive\('([a-z-]+)'/g)].map(match => match[1]!);
    expect(numbers.length).toBeGreaterThan(3);
    for (const name of numbers) expect(Number(action.inputs.get(name)), name).toBeGreaterThan(0);
  });

  it('offer the sandbox kinds that there are', () => {
    const kinds = /SANDBOX_KINDS = \[([^\]]+)\]/.exec(config)?.[1]?.match(/[a-z-]+/g) ?? [];
    expect(kinds).toHaveLength(5);
    for (const kind of kinds) expect(actionText).toContain(`\`${kind}\``);
  });
});

describe('outputs', () => {
  const set = [
    ...(read('src/outputs.ts').split('const values')[1] ?? '')
      .split('};')[0]!
      .matchAll(/^ {4}'?([a-z-]+)'?:/gm),
  ].map(match => match[1]!);

  it('that are declared are the ones that are set', () => {
    expect(set.sort()).toEqual([...action.outputs].sort());
    expect(set.length).toBeGreaterThan(8);
  });
});

describe('the action', () => {
  it('runs on node24, with a post step that always runs, from files that are there', () => {
    expect(actionText).toMatch(
      /using: node24\n {2}main: dist\/index\.js\n {2}post: dist\/post\.js\n {2}post-if: always\(\)/,
    );
    for (const file of ['dist/index.js', 'dist/post.js', 'dist/package.json', 'dist/licenses.txt'])
      expect(existsSync(join(ROOT, file)), file).toBe(true);
  });

  it('knows its own version', () => {
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: VERSION });
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version: VERSION });
  });
});

describe('documentation', () => {
  it('has the tables that action.yml makes', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'scripts/docs.ts', '--check'],
      { cwd: ROOT, encoding: 'utf8' },
    );
    expect(stdout + stderr + status).toMatch(/0$/);
  });

  const examples = readdirSync(join(ROOT, 'examples')).filter(name => name.endsWith('.yml'));

  it('has examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(4);
  });

  it.each(['README.md', ...examples.map(name => `examples/${name}`)])(
    '%s uses only inputs that exist',
    path => {
      const steps = [...read(path).matchAll(/uses: [^\n]*redgreen@[^\n]*\n((?: {6,}.*\n|\n)*)/g)].map(
        match => match[1] ?? '',
      );
      expect(steps.length).toBeGreaterThan(0);
      const names = steps.flatMap(step =>
        [...(step.split(/^ *with:\n/m)[1] ?? '').matchAll(/^ {10}([a-z-]+):/gm)].map(match => match[1]!),
      );
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter(name => !action.inputs.has(name))).toEqual([]);
    },
  );

  const pages = ['docs', 'docs/decisions'].flatMap(folder =>
    readdirSync(join(ROOT, folder))
      .filter(name => name.endsWith('.md'))
      .map(name => `${folder}/${name}`),
  );

  it.each(['README.md', 'ARCHITECTURE.md', 'AGENTS.md', 'SECURITY.md', 'CHANGELOG.md', ...pages])(
    '%s links only to files that are there',
    path => {
      const links = [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(match => match[1]!);
      expect(links.filter(link => !existsSync(join(ROOT, path, '..', link)))).toEqual([]);
    },
  );
});

describe('the example workflows', () => {
  const all = readdirSync(join(ROOT, 'examples'));
  const text = (name: string) => read(`examples/${name}`);
  /** Those that hear comments: the quick start, and what differs from it in model, image or folder alone. */
  const heard = all.filter(name => text(name).includes('issue_comment:'));
  const part = (name: string, pattern: RegExp) => pattern.exec(text(name))?.[0] ?? `no ${pattern.source}`;
  const PERMISSIONS = /^ {4}permissions:\n(?: {6}.*\n)+/m;
  const permissionsOf = (name: string) =>
    [...part(name, PERMISSIONS).matchAll(/^ {6}([a-z-]+): (read|write) # \S.+$/gm)].map(
      ([, scope, level]) => `${scope}: ${level}`,
    );
  const ASKED = [
    ...read('src/github/probe-permissions.ts').matchAll(/^ {6}permission: '([a-z-]+: \w+)'/gm),
  ].map(match => match[1]!);

  it('are these', () => {
    expect(all.sort()).toEqual([
      'azure.yml',
      'comment.yml',
      'dispatch.yml',
      'fix-failing-tests.yml',
      'gateway.yml',
      'local-model.yml',
      'monorepo.yml',
      'python.yml',
    ]);
    expect(heard).toHaveLength(6);
  });

  it('begin with the one that the README has to paste', () => {
    const [pasted] = /(?<=```yaml\n)name: agent\n[\s\S]*?(?=```)/.exec(read('README.md')) ?? [];
    expect(pasted).toBe(text('comment.yml').replace(/^(#.*\n)+/, ''));
  });

  it.each(heard)('%s hears the same events, in the same queues, with the same rights', name => {
    const parts = [
      /^run-name: .*$/m,
      /^on:\n(?: .*\n)+/m,
      /^ {4}if: >-\n(?: {6}.*\n)+/m,
      /^ {4}concurrency:\n(?: {6}.*\n)+/m,
      PERMISSIONS,
    ];
    for (const pattern of parts) {
      expect(part(name, pattern)).toBe(part('comment.yml', pattern));
      expect(part(name, pattern)).not.toMatch(/^no /);
    }
  });

  it.each(all)('%s asks for the permissions that check asks for, each with its reason', name => {
    expect(ASKED).toHaveLength(7);
    const cancels = heard.includes(name);
    // Writing includes reading, and only a comment cancels.
    expect(permissionsOf(name).sort()).toEqual(
      ASKED.filter(permission => permission !== `actions: ${cancels ? 'read' : 'write'}`).sort(),
    );
    expect(part(name, PERMISSIONS).trim().split('\n')).toHaveLength(7);
  });

  it.each(all)(
    '%s queues on the job, cancels nobody, keeps no credentials, and ends after the action does',
    name => {
      const workflow = text(name);
      expect(workflow).toMatch(
        /^ {4}concurrency:\n {6}group: agent-\$\{\{.*\}\}\n {6}queue: max\n {6}cancel-in-progress: false\n/m,
      );
      expect(workflow).not.toMatch(/^concurrency:/m);
      expect(workflow).toMatch(/^run-name: agent \$\{\{.*\}\} by \$\{\{ github\.actor \}\}$/m);
      expect(workflow).toContain('persist-credentials: false');
      expect(workflow).not.toContain('pull_request_target');
      expect(workflow).toMatch(
        /options: >-\n {10}--tty --init --cap-drop ALL --security-opt no-new-privileges\n/,
      );
      expect(workflow).toMatch(/uses: actions\/upload-artifact@\S+\n {8}if: always\(\)/);
      const minutes = Number(/^ {4}timeout-minutes: (\d+)$/m.exec(workflow)?.[1]);
      const own =
        /^ {10}timeout-minutes: (\d+)$/m.exec(workflow)?.[1] ?? action.inputs.get('timeout-minutes');
      expect(minutes).toBeGreaterThan(Number(own));
    },
  );

  it.each(all.filter(name => text(name).includes('workflow_dispatch:')))(
    '%s offers by hand what can be done so',
    name => {
      const [, options = ''] = /options: \[([a-z, ]+)\]/.exec(text(name)) ?? [];
      const byHand = Object.keys(COMMANDS)
        .filter(isCommandName)
        .filter(
          command => COMMANDS[command].available && isGivenIn(command, 'dispatch') && command !== 'help',
        );
      expect(options.split(', ').sort()).toEqual(byHand.sort());
      const reads = [...read('src/events/dispatch-event.ts').matchAll(/input\('([a-z-]+)'\)/g)].map(
        match => match[1]!,
      );
      const inputs = part(name, /^ {4}inputs:\n(?: {6}.*\n)+/m);
      expect([...inputs.matchAll(/^ {6}([a-z-]+):$/gm)].map(match => match[1]!).sort()).toEqual(
        [...new Set(reads)].sort(),
      );
    },
  );

  it('hear the labels that there are', () => {
    const labels = [...read('src/events/label-event.ts').matchAll(/\['(agent:\w+)', /g)].map(
      match => match[1]!,
    );
    expect(labels).toHaveLength(2);
    for (const label of labels) expect(text('comment.yml')).toContain(`"${label}"`);
  });
});

describe('documents of commands', () => {
  const known = Object.keys(COMMANDS).filter(isCommandName);

  it.each(known.filter(name => COMMANDS[name].available))('tell of %s', name => {
    expect(read('README.md')).toContain(`\`/agent ${name}`);
    expect(read('docs/commands.md')).toMatch(new RegExp(`^\\| \`${name}[ \`]`, 'm'));
  });

  it('tell of the outcomes that there are', () => {
    const [, union = ''] = /export type Outcome =([^;]+);/.exec(read('src/types.ts')) ?? [];
    const outcomes = union.match(/[a-z-]+/g) ?? [];
    expect(outcomes).toHaveLength(11);
    for (const outcome of outcomes) {
      expect(actionText).toContain(`\`${outcome}\``);
      expect(read('docs/commands.md')).toContain(`| \`${outcome}\` |`);
    }
  });
});
