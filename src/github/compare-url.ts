const MAX_LENGTH = 8_000;

export interface CompareLink {
  readonly serverUrl: string;
  readonly owner: string;
  readonly repo: string;
  readonly base: string;
  readonly head: string;
  readonly title: string;
  readonly body: string;
}

/** A link that opens GitHub's form for a new pull request, filled in. Shorter than 8,000 characters: the body is cut, at last left out. */
export function compareUrl({ serverUrl, owner, repo, base, head, title, body }: CompareLink): string {
  const range = `${encodeRef(base)}...${encodeRef(head)}`;
  const start = `${serverUrl}/${owner}/${repo}/compare/${range}?quick_pull=1&title=${encode(title.slice(0, 200))}`;
  const room = MAX_LENGTH - start.length - '&body='.length;
  const encoded = encodeUpTo(body, room);
  return encoded ? `${start}&body=${encoded}` : start;
}

/** As much of the beginning of the text as fits, cut between characters, by halving the doubt. */
function encodeUpTo(text: string, room: number): string {
  const characters = [...text.toWellFormed()];
  let fits = 0;
  let tooMuch = characters.length + 1;
  while (tooMuch - fits > 1) {
    const middle = Math.floor((fits + tooMuch) / 2);
    if (encode(characters.slice(0, middle).join('')).length <= room) fits = middle;
    else tooMuch = middle;
  }
  return encode(characters.slice(0, fits).join(''));
}

const encode = (text: string) =>
  encodeURIComponent(text.toWellFormed()).replaceAll('(', '%28').replaceAll(')', '%29');
/** Slashes stay: GitHub reads the rest of the path as the range. */
const encodeRef = (ref: string) => ref.split('/').map(encode).join('/');
