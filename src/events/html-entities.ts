/** Named entities that stand for ASCII or for something invisible: those with which text can be hidden from a filter. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  commat: '@',
  num: '#',
  grave: '`',
  excl: '!',
  sol: '/',
  bsol: '\\',
  lsqb: '[',
  rsqb: ']',
  lpar: '(',
  rpar: ')',
  colon: ':',
  period: '.',
  lowbar: '_',
  ast: '*',
  Tab: '\t',
  NewLine: '\n',
  shy: '',
  zwj: '',
  zwnj: '',
  lrm: '',
  rlm: '',
  ZeroWidthSpace: '',
  NoBreak: '',
};

// `&amp;amp;lt;` is taken in one step, so that no depth of nesting costs more than one pass; so is `&#38;#x26;lt;`.
const ENTITY = /&(?:(?:amp|#0{0,5}38|#x0{0,4}26);)*(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,14}));/gi;

/** Decodes HTML entities, however often they were encoded. Names that only stand for other letters stay as they are. */
export const decodeEntities = (text: string): string =>
  text.replace(ENTITY, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole;
    const point = hex === undefined ? Number.parseInt(decimal ?? '', 10) : Number.parseInt(hex, 16);
    return point > 0x10ffff ? '' : String.fromCodePoint(point);
  });
