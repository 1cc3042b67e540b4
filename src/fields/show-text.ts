const LONGEST_SHOWN = 60;

// Everything a terminal hides or acts upon: controls, formats, lone surrogates, line and paragraph separators, spaces
// other than U+0020.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** Quotes a text from a file for a message: what cannot be seen is escaped as `\u00a0`, long texts are cut. */
export function showText(text: string): string {
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text;
  return `"${shown.replace(UNSEEN, escapeCodePoint)}"`;
}

/** True where a text holds nothing that {@link showText} has to escape or cut. */
export function isShownWhole(text: string): boolean {
  return text.length <= LONGEST_SHOWN && text.search(UNSEEN) === -1;
}

function escapeCodePoint(character: string): string {
  const hex = character.codePointAt(0)!.toString(16);
  return character.length === 1 ? `\\u${hex.padStart(4, "0")}` : `\\u{${hex}}`;
}
