const MOST_CHARACTERS = 2000;

/** A text that is kept as long as a run lasts: the beginning of a long one, without holding the whole in memory. */
export function keepText(text: string, mostCharacters = MOST_CHARACTERS): string {
  if (text.length <= mostCharacters) return text;
  // A plain slice would keep the text that it was cut from in memory.
  return `${Buffer.from(text.slice(0, mostCharacters), "utf16le").toString("utf16le")}…`;
}
