const MOST_CHARACTERS = 2000;

/** A text for as long as a run lasts: the beginning of a long one, which no longer holds the whole in memory. */
export function keepText(text: string, mostCharacters = MOST_CHARACTERS): string {
  if (text.length <= mostCharacters) return text;
  // A slice alone would keep the text that it was cut from.
  return `${Buffer.from(text.slice(0, mostCharacters), "utf16le").toString("utf16le")}…`;
}
