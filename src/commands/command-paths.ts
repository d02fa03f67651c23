const INTERPRETER =
  /^(?:.*\/)?(?:(?:ba|da|z|k)?sh|node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|source|\.)$/;
const CONFIG_FLAG = /^(?:-c|-p|--config|--project|--rcfile|--ruleset|--config-file)$/;

/**
 * The files of a repository that a command runs, or that configure what it runs: the first words of its parts, what an interpreter is given
 * first, and what follows a configuration flag. Other files that it names are what it looks at, and may be mended. `scripts` are those of
 * package.json, which it may call.
 */
export function commandPaths(
  command: string,
  scripts: readonly string[],
  paths: readonly string[],
): readonly string[] {
  const known = new Set(paths);
  const named = [command, ...scripts].flatMap(line => line.split(/&&|\|\||[;|&\n()]/)).flatMap(wordsThatRun);
  return [...new Set(named.map(word => word.replace(/^\.\//, '')))].filter(path => known.has(path));
}

function wordsThatRun(part: string): string[] {
  const words = part
    .trim()
    .split(/\s+/)
    .map(word => word.replace(/^["']|["']$/g, ''))
    .filter(word => word !== '' && !/^\w+=/.test(word));
  const [first = '', ...rest] = words;
  const script = INTERPRETER.test(first) ? rest.find(word => !word.startsWith('-')) : undefined;
  const configs = words.flatMap((word, index) => {
    const value = /^--[\w-]+=(.+)$/.exec(word)?.[1];
    return value ?? (CONFIG_FLAG.test(word) ? (words[index + 1] ?? []) : []);
  });
  return [first, ...(script ? [script] : []), ...configs];
}
