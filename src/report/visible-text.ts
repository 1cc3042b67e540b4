/** Text from a file or the service on one line of a terminal: control and invisible characters are shown as escapes. */
export function showText(text: string, maxLength = 120): string {
  const cut =
    text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
  return cut.replace(HIDDEN_CHARACTERS, escapeCharacter);
}

/** C0 and C1 controls, soft hyphen, zero-width and bidirectional marks, line separators, lone surrogates, BOM. */
const HIDDEN_CHARACTERS =
  /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\p{Cs}]/gu;

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
