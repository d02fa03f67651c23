/**
 * Which of some lower-case words was probably meant by a word from outside: one that differs in at most a third of its letters, or the only
 * one that begins with it.
 */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  // A stranger's word may be of any length, and no command is as long as this.
  const typed = word
    .slice(0, 30)
    .toLowerCase()
    .replace(/[:,.!?]+$/, '');
  const begun = words.filter(known => typed.length >= 3 && known.startsWith(typed));
  if (begun.length === 1) return begun[0];
  const ranked = words
    .map(known => ({ known, edits: editDistance(typed, known) }))
    .filter(({ known, edits }) => edits <= Math.max(1, Math.floor(known.length / 3)))
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.known;
}

/** Letters to add, drop, replace or swap with their neighbour to make one word of the other. */
function editDistance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
