/**
 * Text without terminal escape sequences, in linear time whatever the text: Node's own stripVTControlCharacters takes quadratic time
 * for sequences that never end. OSC, DCS, SOS, PM and APC up to their end; CSI; then any other two-character sequence; C1 forms too.
 */
export const stripEscapes = (text: string): string => text.replace(ESCAPE_SEQUENCES, '');

const ESCAPE_SEQUENCES =
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n\r]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g;
