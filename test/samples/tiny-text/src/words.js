/** The words of a text: runs of letters, digits and apostrophes, in order. */
export function words(text) {
  if (typeof text !== 'string') throw new TypeError('text must be a string');
  return text.match(/[\p{L}\p{N}'’]+/gu) ?? [];
}
