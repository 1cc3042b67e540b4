/** True for every character that is only spacing: ASCII blanks, all Unicode spaces, zero-width and direction marks. */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0xa0) return false;
  return (
    code === 0xa0 ||
    code === 0x202f ||
    (code >= 0x2000 && code <= 0x200b) ||
    code === 0xfeff ||
    code === 0x200e ||
    code === 0x200f ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x205f ||
    code === 0x2060 ||
    code === 0x3000 ||
    code === 0x1680
  );
}

/** True for the spaces that group digits in threes: plain, no-break, narrow no-break and thin. */
export function isGroupingSpace(code: number): boolean {
  return code === 0x20 || code === 0xa0 || code === 0x202f || code === 0x2009;
}

/** Removes outer spaces of every kind; a text without any is returned as it is. */
export function trimSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** True for the empty text and for text that is only spaces. */
export function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isSpace(text.charCodeAt(at))) return false;
  return true;
}
