import type { Demo } from './demo.ts';

const RULE = '─'.repeat(80);

/** The comment and the pull request in the terminal: title, body, diff summary, and where the files lie. */
export async function showResult(
  { result, github, repository, folder }: Demo,
  say: (line: string) => void,
): Promise<void> {
  const { outputs } = result;
  const [comment] = [...repository.comments.values()].filter(each => each.user.login.endsWith('[bot]'));
  if (comment)
    say(`\n${RULE}\nThe run's comment, at the end:\n\n${comment.body.replace(/^<!--.*-->\n/, '')}`);
  const number = Number(outputs['pull-request-number']);
  if (!number) {
    say(`\nNo pull request. Outcome: ${outputs.outcome}. ${outputs.reason}`);
  } else {
    const pull = await github.pullRequest(repository, number);
    say(
      `\n${RULE}\n#${pull.number} ${pull.title}${pull.draft ? '  (draft)' : ''}\n${pull.head.ref} → ${pull.base.ref}\n\n${pull.body ?? ''}\n${RULE}`,
    );
    say(diffSummary(await github.diff(repository, number)));
  }
  say(`\nOutcome:    ${outputs.outcome}${outputs.reason ? `, ${outputs.reason}` : ''}`);
  for (const [label, name] of [
    ['Proof', 'proof'],
    ['Trajectory', 'trajectory'],
    ['Patch', 'patch'],
  ] as const) {
    if (outputs[name]) say(`${`${label}:`.padEnd(12)}${outputs[name]}`);
  }
  say(`Repository: ${folder}/repositories`);
}

function diffSummary(diff: string): string {
  const files = diff.split(/^diff --git /m).slice(1);
  const rows = files.map(file => {
    const path = /^a\/.* b\/(.*)$/m.exec(file)?.[1] ?? '?';
    const count = (sign: string) =>
      file.split('\n').filter(line => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
    return `  ${path}  +${count('+')} −${count('-')}`;
  });
  return `${files.length} files changed\n${rows.join('\n')}`;
}
