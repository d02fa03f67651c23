import { posix } from 'node:path';
import type { BaseFiles, FileError, TestCase, TestReport } from '../types.ts';
import { cleanLine } from './clean-text.ts';
import { quote } from './command-line.ts';
import { setupPlaces } from './setup-places.ts';
import { relativePath } from './test-ids.ts';
import type { TestRunner } from './test-runner.ts';

/**
 * A runner that works in one folder of the repository. `folder` is relative, without `..` or a slash at its end. The
 * world outside goes on speaking of paths relative to the root: files given, files and ids reported, all judgements.
 */
export const inFolder = (runner: TestRunner, folder: string): TestRunner => ({
  ...runner,
  detect: files => runner.detect(filesIn(files, folder)),
  setupScript: files => setupScript(runner, files, folder),
  command: options => {
    const { shown, script, env } = runner.command({
      ...options,
      workdir: `${options.workdir}/${folder}`,
      files: options.files.map(path => posix.relative(folder, path)),
    });
    return { shown: `cd ${quote(folder)} && ${shown}`, script: inFolderScript(script, folder), env };
  },
  parse: (report, workdir) =>
    runner.reportsRelativePaths
      ? placedIn(runner.parse(report, `${workdir}/${folder}`), runner, folder, workdir)
      : runner.parse(report, workdir),
  isTestFile: path => isBelow(path, folder) && runner.isTestFile(below(path, folder)),
  isTestPath: path => runner.isTestPath(below(path, folder)),
  isConfigPath: path => runner.isConfigPath(below(path, folder)),
});

/** The files below a folder, as if it were the root. */
export const filesIn = (files: BaseFiles, folder: string): BaseFiles => ({
  paths: files.paths.filter(path => isBelow(path, folder)).map(path => below(path, folder)),
  text: path => files.text(`${folder}/${path}`),
});

/** A script that runs in a folder below the work folder. Its first line is a comment that says so: it is what people read. */
export function inFolderScript(script: string, folder: string): string {
  const [first = ''] = script.split('\n', 1);
  const shown = cleanLine(`cd ${quote(folder)} && ${first.replace(/^# /, '')}`);
  return `# ${shown}\ncd ${quote(folder)} || exit 1\n${script}`;
}

async function setupScript(runner: TestRunner, files: BaseFiles, folder: string): Promise<string> {
  const places = await setupPlaces(runner, { root: files, inside: filesIn(files, folder), folder });
  const atRoot = places.root ? await runner.setupScript(files) : '';
  const own = places.inside ? await runner.setupScript(places.inside) : '';
  const inside = own && inFolderScript(own, folder);
  if (!atRoot || !inside) return atRoot || inside;
  const [shown = ''] = inside.split('\n', 1);
  return `# ${cleanLine(atRoot.split('\n', 1)[0] ?? '').replace(/^# /, '')} && ${shown.slice(2)}\n(\n${atRoot}\n) || exit 1\n${inside}`;
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

/** Other folders' paths stay whole, and so are judged like any other. */
const below = (path: string, folder: string): string =>
  isBelow(path, folder) ? path.slice(folder.length + 1) : path;

/** Errors that a runner can pin to no file stand under its name, not under a path. */
function placedIn(report: TestReport, runner: TestRunner, folder: string, workdir: string): TestReport {
  const place = (file: string): string =>
    file.startsWith('/') ? relativePath(file, workdir) : posix.join(folder, file);
  const placeCase = (test: TestCase): TestCase => {
    const file = place(test.file);
    return { ...test, file, id: file + test.id.slice(test.file.length) };
  };
  const placeError = (error: FileError): FileError =>
    error.file === runner.name ? error : { ...error, file: place(error.file) };
  return { cases: report.cases.map(placeCase), fileErrors: report.fileErrors.map(placeError) };
}
