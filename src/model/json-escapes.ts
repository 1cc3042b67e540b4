/** The characters that JSON writes with a backslash and a letter or the character itself (RFC 8259 section 7), but for `/`. */
export const SHORT_ESCAPES = [
  ["\b", "b"],
  ["\t", "t"],
  ["\n", "n"],
  ["\f", "f"],
  ["\r", "r"],
  ['"', '"'],
  ["\\", "\\"],
] as const;
