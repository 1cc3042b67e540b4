const MAX_LENGTH = 300;

/** C0 and C1 controls, soft hyphen, zero-width and bidirectional marks, line separators, lone surrogates, BOM. */
const HIDDEN_CHARACTERS =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\p{Cs}]/gu;

/** A text of the service on one line, at most 300 characters: control and invisible characters become escapes. */
export function toOneLine(text: string): string {
  const shown = text
    .slice(0, MAX_LENGTH * 2)
    .trim()
    .replace(HIDDEN_CHARACTERS, escapeCharacter);
  return shown.length > MAX_LENGTH
    ? `${shown.slice(0, MAX_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, "")}…`
    : shown;
}

function escapeCharacter(character: string): string {
  switch (character) {
    case "\n":
      return "\\n";
    case "\r":
      return "\\r";
    case "\t":
      return "\\t";
    default:
      return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  }
}
