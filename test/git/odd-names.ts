/** File names that a careless parser, shell or pathspec would trip over. */
export const ODD_NAMES = [
  'with space',
  'line\nbreak',
  'tab\tbed',
  'quo"te',
  "apo'strophe",
  'ünïcode/日本語',
  '-rf',
  '--exec=x',
  ':(top)x',
  'back\\slash',
  '*.glob',
  '{a}',
];
