/** Outside text, marked as data. A closing tag inside it is defused, so that the text can not end its own quotation. */
export const quotedData = (from: string, text: string): string =>
  `<data from="${from.replace(/[^\w .,:#/@-]/g, '')}">\n${text.replace(/<(\/?)data/gi, '<$1 data').trim()}\n</data>`;
