import type { BaseFiles } from '../types.ts';

/**
 * The script that installs a Python project's dependencies, by its lock file; empty when it declares none and pytest is
 * all that could be missing (then it is installed only if it is). Everything goes into `$HOME/venv`: the user who runs
 * it may not write to the system's packages, and the work folder must not carry an environment.
 */
export async function pythonSetup(files: BaseFiles): Promise<string> {
  const install = await installSteps(files);
  if (install.length === 0) return `${HAS_PYTEST} || {\n${[MAKE_VENV, PYTEST].join('\n')}\n}`;
  return [shown(install), 'set -e', MAKE_VENV, ...install, PYTEST].join('\n');
}

/** The first line of a script that we made says what it comes to: it is what people read. */
const shown = (install: readonly string[]): string =>
  `# ${install
    .filter(line => !line.startsWith('command -v'))
    .join('; ')
    .replaceAll('$redgreen_pip', 'pip install')}`;

const HAS_PYTEST = `python3 -c 'import pytest' 2>/dev/null`;

/** Without `venv` in the image, packages go to the user's own folder and `redgreen_pip` says so. */
const MAKE_VENV = [
  'redgreen_pip="python3 -m pip install --quiet --disable-pip-version-check"',
  'if [ -x "$HOME/venv/bin/python" ] || python3 -m venv --system-site-packages "$HOME/venv"; then',
  '  VIRTUAL_ENV="$HOME/venv"; PATH="$HOME/venv/bin:$PATH"; UV_PROJECT_ENVIRONMENT="$HOME/venv"',
  '  export VIRTUAL_ENV PATH UV_PROJECT_ENVIRONMENT',
  'else',
  '  rm -rf "$HOME/venv"; PATH="$HOME/.local/bin:$PATH"; export PATH',
  '  redgreen_pip="$redgreen_pip --user --break-system-packages"',
  'fi',
].join('\n');

const PYTEST = `${HAS_PYTEST} || $redgreen_pip pytest`;

const needs = (program: string): string =>
  `command -v ${program} >/dev/null 2>&1 || $redgreen_pip ${program}`;

async function installSteps(files: BaseFiles): Promise<string[]> {
  const has = (path: string) => files.paths.includes(path);
  const isPackage = has('setup.py') || (await declaresPackage(files));
  if (has('uv.lock')) return [needs('uv'), 'uv sync --frozen --all-extras --all-groups'];
  if (has('poetry.lock')) return [needs('poetry'), 'poetry install --no-interaction --all-extras'];
  if (has('Pipfile.lock')) return [needs('pipenv'), 'pipenv sync --dev'];
  const requirements = files.paths.filter(
    path =>
      /^(requirements([-_.](dev|test|tests|testing))?|(dev|test|tests)[-_]requirements)\.txt$/.test(path) ||
      /^requirements\/(base|main|dev|test|tests)\.txt$/.test(path),
  );
  return [
    ...(requirements.length > 0 ? [`$redgreen_pip ${requirements.map(path => `-r ${path}`).join(' ')}`] : []),
    ...(isPackage
      ? [(await extras(files)) === '' ? '$redgreen_pip -e .' : `$redgreen_pip -e '.[${await extras(files)}]'`]
      : []),
    ...(await groups(files)).map(
      name => `$redgreen_pip --group ${name} || echo 'this pip is too old for dependency groups' >&2`,
    ),
  ];
}

/** A `pyproject.toml` may hold nothing but tools' settings; only one with a build system or a project can be installed. */
async function declaresPackage(files: BaseFiles): Promise<boolean> {
  const project = (await files.text('pyproject.toml')) ?? '';
  const setup = (await files.text('setup.cfg')) ?? '';
  return /^\s*\[(build-system|project)\]/m.test(project) || /^\s*\[metadata\]/m.test(setup);
}

/** PEP 735, known to pip since 25.1. */
async function groups(files: BaseFiles): Promise<string[]> {
  const project = (await files.text('pyproject.toml')) ?? '';
  const [, section = ''] =
    /^\s*\[dependency-groups\]\s*$([\s\S]*?)(?=^\s*\[[^\]\n]+\]\s*$|(?![\s\S]))/m.exec(project) ?? [];
  return EXTRAS.filter(name => new RegExp(`^\\s*"?${name}"?\\s*=`, 'm').test(section));
}

const EXTRAS = ['test', 'tests', 'testing', 'dev'];

/** Those of the usual extras that the project declares. */
async function extras(files: BaseFiles): Promise<string> {
  const project = (await files.text('pyproject.toml')) ?? '';
  const section =
    /^\s*\[project\.optional-dependencies\]\s*$([\s\S]*?)(?=^\s*\[|(?![\s\S]))/m.exec(project)?.[1] ?? '';
  return EXTRAS.filter(name => new RegExp(`^\\s*["']?${name}["']?\\s*=`, 'm').test(section)).join(',');
}
