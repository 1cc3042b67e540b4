const WORDS: Readonly<Record<string, string>> = { "\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe" };

/** A delimiter as a word that every shell leaves unchanged, if there is one. */
export function nameDelimiter(delimiter: string): string {
  return WORDS[delimiter] ?? delimiter;
}

/** A delimiter as it is written in a shell after `--delimiter`. */
export function showDelimiter(delimiter: string): string {
  const word = nameDelimiter(delimiter);
  if (word !== delimiter) return word;
  return delimiter === "'" ? `"'"` : `'${delimiter}'`;
}
