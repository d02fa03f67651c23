/** What stands in place of a command where nobody gave one. */
export const UNASKED = 'unasked, because CI failed';
