/** Longer lines are cut: no error message is that long, and one line may be the whole log. */
const MAX_LINE_BYTES = 16_384;

const NEWLINE = 0x0a;

export interface LineSplitter {
  readonly push: (chunk: Uint8Array) => void;
  /** Gives out what came after the last line end. */
  readonly end: () => void;
}

/** Splits bytes into lines of UTF-8 without their ends. What is kept of a line under way is never more than 16 KiB; a line that was cut ends in `…`. */
export function splitLines(onLine: (line: string) => void): LineSplitter {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let cut = false;

  const keep = (part: Uint8Array) => {
    const room = MAX_LINE_BYTES - keptBytes;
    if (part.length > room) cut = true;
    if (room <= 0 || part.length === 0) return;
    // A copy: a view would hold the whole chunk in memory until the line ends.
    const taken = Buffer.from(part.subarray(0, room));
    kept.push(taken);
    keptBytes += taken.length;
  };
  const giveOut = () => {
    const text = Buffer.concat(kept).toString('utf8');
    onLine(cut ? `${text.replace(/\uFFFD$/, '')}…` : text.replace(/\r$/, ''));
    kept = [];
    keptBytes = 0;
    cut = false;
  };
  return {
    push: chunk => {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, at));
        giveOut();
        from = at + 1;
      }
      keep(chunk.subarray(from));
    },
    end: () => {
      if (keptBytes > 0) giveOut();
    },
  };
}
