/** A run that is cancelled or loses its sandbox ends at once, says which, and leaves nothing running. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildHostImage } from '../../scripts/host-image.ts';
import { CancelledError, UserError } from '../../src/errors.ts';
import type { RunEvent } from '../../src/run-events.ts';
import { ask, dockerEngine, unlessDocker } from '../helpers/docker-engine.ts';
import { bash, finish, GOOD, IMPLEMENT, say, specified, UP_TO_RED, write } from './lines.ts';
import { playStory, type Script, type Story, type StoryOptions } from './story.ts';

const engine = await dockerEngine();

/** Before the next line of the script is said. */
function removeNow(label: string) {
  const ids = execFileSync('docker', ['ps', '--all', '--quiet', '--filter', `label=redgreen=${label}`], {
    encoding: 'utf8',
  });
  execFileSync('docker', ['rm', '--force', ...ids.trim().split('\n')]);
}

const started = (phase: string) => (event: RunEvent) =>
  event.kind === 'phase-started' && event.phase === phase;
const noted = (start: string) => (event: RunEvent) => event.kind === 'note' && event.text.startsWith(start);
const ranFinish = (role: string) => (event: RunEvent) =>
  event.kind === 'tool-ran' && event.name === 'finish' && event.role === role;
const asked = (role: string) => (event: RunEvent) => event.kind === 'model-answered' && event.role === role;

function expectCancelled(story: Story) {
  expect(story.result).toBeUndefined();
  expect(story.error).toBeInstanceOf(CancelledError);
  expect(story.leftFolders).toEqual([]);
  expect(story.leftProcesses).toEqual([]);
}

/** Runs until shortly after the event, then cancels. */
async function cancelAfter(
  isIt: (event: RunEvent) => boolean,
  script: Script,
  options: StoryOptions,
  delayMs: number,
) {
  const controller = new AbortController();
  const onEvent = (event: RunEvent) => {
    if (!isIt(event)) return;
    if (delayMs === 0) controller.abort();
    else setTimeout(() => controller.abort(), delayMs);
  };
  const begun = performance.now();
  const story = await playStory(script, { ...options, onEvent, signal: controller.signal });
  return { story, ms: performance.now() - begun };
}

type Case = readonly [string, (event: RunEvent) => boolean, Script, StoryOptions, number];

describe.concurrent('a run that is cancelled', () => {
  it.each<Case>([
    ['while files go in', noted('Sandbox: '), [], { settings: { setupCommand: 'sleep 60' } }, 5],
    ['during set-up', noted('Sandbox: '), [], { settings: { setupCommand: 'sleep 60' } }, 1_000],
    ['during the baseline', started('baseline'), [], {}, 300],
    [
      'during a command, whose children it takes along',
      asked('specifier'),
      [say(bash('sleep 61 & setsid sleep 62 & sleep 60')), say(finish())],
      {},
      150,
    ],
    ['at the specification gate', ranFinish('specifier'), UP_TO_RED, {}, 150],
    ['at the red gate', ranFinish('test-writer'), [...UP_TO_RED, ...IMPLEMENT], {}, 150],
    ['at the green gate', ranFinish('implementer'), [...UP_TO_RED, ...IMPLEMENT], {}, 150],
    ['during the proof', started('proof'), [...UP_TO_RED, ...IMPLEMENT], {}, 150],
  ])('%s', async (_when, isIt, script, options, delayMs) => {
    const { story, ms } = await cancelAfter(isIt, script, options, delayMs);
    expectCancelled(story);
    expect(ms).toBeLessThan(40_000);
  });

  it('while the sandbox opens', async () => {
    const { story } = await cancelAfter(noted('unsafe-local: '), [], {}, 0);
    expectCancelled(story);
  });

  it('before it began', async () => {
    const story = await playStory(UP_TO_RED, { signal: AbortSignal.abort() }).catch(
      (error: unknown) => error,
    );
    expect(story).toBeInstanceOf(CancelledError);
  });
});

describe('a sandbox that disappears', () => {
  it('as a folder of this machine', async () => {
    let folder = '';
    const story = await playStory(
      [
        () => {
          rmSync(folder, { recursive: true, force: true });
          return say(bash('ls'));
        },
        say(write('src/slug.js', GOOD), finish()),
        say(finish()),
      ],
      {
        onSandbox: sandbox => {
          folder = dirname(sandbox.workdir);
        },
      },
    );
    expect(folder).not.toBe('');
    expect(existsSync(folder)).toBe(false);
    expect(story.error).toBeInstanceOf(UserError);
    expect(String(story.error)).toContain('disappeared');
    expect(story.leftFolders).toEqual([]);
  });

  const inDocker = `as a container${unlessDocker(engine)}, before a`;

  it.skipIf(!engine.available)(`${inDocker} command`, () => expectDisappeared([say(bash('ls'))]));

  (engine.available ? it : it.skip)(`${inDocker} gate`, () => expectDisappeared([say(specified('slugify'))]));
});

/** Removes the container while the model thinks about its only line. */
async function expectDisappeared([line]: readonly [ReturnType<typeof say>]) {
  let label = '';
  const image = await buildHostImage({ dockerHost: engine.dockerHost });
  const remove = () => {
    removeNow(label);
    return line;
  };
  const story = await playStory([remove], {
    sandbox: { kind: 'docker', image, dockerHost: engine.dockerHost },
    onSandbox: (_sandbox, options) => {
      label = options.runLabel;
    },
  });
  expect(await ask(['ps', '--all', '--quiet', '--filter', `label=redgreen=${label}`])).toBe('');
  expect(await ask(['images', '--quiet', '--filter', `label=redgreen=${label}`])).toBe('');
  expect(story.error).toBeInstanceOf(UserError);
  expect(String(story.error)).toContain('disappeared');
}
