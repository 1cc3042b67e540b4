const PLAIN = /^[\w.,:/=@%+-]+$/;
const EXPANDED_IN_DOUBLE_QUOTES = /["$`\\!]/;

/** Splits a line of words that {@link quoteWord} wrote, as a shell does. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [part] of line.matchAll(/\s+|"[^"]*"|'[^']*'|\\.|[^\s"'\\]+/gs)) {
    if (/^\s/.test(part)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const isQuoted = part.startsWith('"') || part.startsWith("'");
    word = (word ?? "") + (isQuoted ? part.slice(1, -1) : part.replace(/^\\/, ""));
  }
  return word === undefined ? words : [...words, word];
}

/** Quotes one argument so that it can be pasted into a POSIX shell. */
export function quoteWord(word: string): string {
  if (PLAIN.test(word)) return word;
  if (!EXPANDED_IN_DOUBLE_QUOTES.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
