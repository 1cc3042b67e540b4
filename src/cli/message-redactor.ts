/** A word, several words joined, or a number with its unit: our own sentences may contain it by chance. */
const PLAIN = /^(?:\p{L}+(?:[-_]\p{L}+)*|\d{1,4}(?:\.\d{1,3})?\p{L}{0,3})$/u;
/** Next to one of these, a word is part of an option, a path or a file name. */
const JOINED = String.raw`\p{L}\p{N}_/\\.-`;

/**
 * Makes a function that hides secrets in messages of our own, which quote the command line. A secret that is a plain
 * word is hidden only as a separate word between quotes, and not at all if it is one of the `names` that are shown
 * everywhere: otherwise messages would lose words of their advice.
 */
export function createMessageRedactor(
  secrets: readonly string[],
  names: readonly string[],
): (text: string) => string {
  const literals = secrets
    .flatMap((secret) =>
      PLAIN.test(secret) ? [] : [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)],
    )
    .sort((a, b) => b.length - a.length);
  const words = secrets
    .filter((secret) => PLAIN.test(secret) && !names.includes(secret))
    .map(
      (word) => new RegExp(`(?<![${JOINED}])${word.replaceAll(".", String.raw`\.`)}(?![${JOINED}])`, "gu"),
    );
  const hideWords = (quoted: string): string =>
    words.reduce((text, word) => text.replace(word, "***"), quoted);
  return (text) =>
    literals.reduce(
      (shown, secret) => shown.replaceAll(secret, "***"),
      text.replace(/"[^"\n]*"|'[^'\n]*'/g, hideWords),
    );
}
