const PLAIN = /^[\w.,:/=@%+-]+$/;
const EXPANDED_IN_DOUBLE_QUOTES = /["$`\\!]/;

/** Quotes one argument so that it can be pasted into a POSIX shell. */
export function quoteWord(word: string): string {
  if (PLAIN.test(word)) return word;
  if (!EXPANDED_IN_DOUBLE_QUOTES.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
