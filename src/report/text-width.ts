/** The number of terminal columns that a text takes, without its colours. */
export function textWidth(text: string): number {
  const plain = withoutColours(text);
  if (/^[ -~]*$/.test(plain)) return plain.length;
  let width = 0;
  for (const sign of plain) width += signWidth(sign);
  return width;
}

/** Its sets of letters are made where a text is not ASCII, not in every command. */
function signWidth(sign: string): number {
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(sign)) return 0;
  const isWide =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
  return isWide.test(sign) ? 2 : 1;
}

/** Escape sequences that colour text. */
const COLOURS = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, "g");

/** The beginning of a text that fits into `columns`, without colours, with `more` after it. */
export function cutToWidth(text: string, columns: number, more = "…"): string {
  if (textWidth(text) <= columns) return text;
  let cut = "";
  for (const sign of withoutColours(text)) {
    if (textWidth(cut + sign) > columns - more.length) break;
    cut += sign;
  }
  return cut + more;
}

/** A text without its colours. */
export function withoutColours(text: string): string {
  return text.replaceAll(COLOURS, "");
}
