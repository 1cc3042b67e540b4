/** As most texts are: the sets of Unicode are made only for another, which takes half a millisecond. */
const PRINTABLE = /^[ -~]*$/;

let hidden: RegExp | undefined;

/**
 * Controls, format characters, lone surrogates, private and unassigned characters, line separators: a terminal hides or
 * obeys them.
 */
function hiddenCharacters(): RegExp {
  hidden ??= /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  return hidden;
}

/**
 * Shows text from a file or the service on one line of a terminal: invisible characters become escapes, and a longer
 * text is cut at `maxLength` UTF-16 units. All kinds of spaces are kept.
 */
export function showText(text: string, maxLength = 120): string {
  const cut =
    text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
  return PRINTABLE.test(cut) ? cut : cut.replace(hiddenCharacters(), escapeCharacter);
}

/** The same in double quotes, for a cell or a header inside a sentence. */
export function quoteText(text: string, maxLength = 60): string {
  return `"${showText(text, maxLength)}"`;
}

/** JSON with the same meaning, in which hidden characters are escaped. */
export function escapeHidden(json: string): string {
  if (PRINTABLE.test(json)) return json;
  return json.replace(hiddenCharacters(), (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hexOf(character.charCodeAt(at))}`).join(""),
  );
}

/** True if {@link showText} has nothing to escape. */
export function isVisible(text: string): boolean {
  return PRINTABLE.test(text) || text.search(hiddenCharacters()) === -1;
}

function escapeCharacter(character: string): string {
  switch (character) {
    case "\n":
      return "\\n";
    case "\r":
      return "\\r";
    case "\t":
      return "\\t";
    default: {
      const hex = hexOf(character.codePointAt(0) ?? 0);
      return character.length === 1 ? `\\u${hex}` : `\\u{${hex}}`;
    }
  }
}

function hexOf(code: number): string {
  return code.toString(16).padStart(4, "0");
}
