/** What a key between tabs cannot hold beside a tab: a line feed, and what UTF-8 may not be able to write. */
const NOT_PLAIN = /[\n\ud800-\udfff]/;

/** Keys as a piece of a line of text: each after a tab or, if that could not be read back, together as JSON. */
export function writeKeys(keys: readonly string[]): string {
  const text = `\t${keys.join("\t")}`;
  return NOT_PLAIN.test(text) || keys.some((key) => key.includes("\t")) ? JSON.stringify(keys) : text;
}

/** The keys that {@link writeKeys} wrote. JSON takes three times as long. */
export function readKeys(text: string): readonly string[] {
  return text.startsWith("[") ? (JSON.parse(text) as string[]) : text.slice(1).split("\t");
}
