/** The text, or as much of it as fits into `max` characters with an ellipsis, cut at a word where one ends. */
export function truncate(text, max) {
  if (typeof text !== 'string') throw new TypeError('text must be a string');
  if (!Number.isInteger(max) || max < 1) throw new RangeError('max must be a positive integer');
  if (text.length <= max) return text;
  const room = text.slice(0, max - 1);
  const end = room.lastIndexOf(' ');
  return `${(end > 0 ? room.slice(0, end) : room).trimEnd()}…`;
}
