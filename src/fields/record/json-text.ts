const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/**
 * A string as JSON text (RFC 8259 section 7). Lone surrogates become escapes, so that the text is always well-formed
 * Unicode.
 */
export function jsonString(text: string): string {
  return `"${jsonStringBody(text)}"`;
}

/** The same without the quotes around it. */
export function jsonStringBody(text: string): string {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isPlain =
      code >= FIRST_PRINTABLE &&
      code !== QUOTE &&
      code !== BACKSLASH &&
      (code < FIRST_SURROGATE || code > LAST_SURROGATE);
    // JSON.stringify knows every escape; most texts need none, and then the loop alone is several times faster.
    if (!isPlain) return JSON.stringify(text).slice(1, -1);
  }
  return text;
}
