import { CLOSE, EMPTY, LITERAL, MORE, OPEN, type XmlScanner } from "./xml-scanner.ts";

const TEXT = Buffer.from("t");
const RUN = Buffer.from("r");
const PHONETIC = Buffer.from("rPh");

/** A character that XML cannot hold is written as its number: `_x000D_`; an underscore before such a number as `_x005F_`. */
const ESCAPED = /_x([0-9a-fA-F]{4})_/g;
const HALF_PAIR = /[\ud800-\udfff]/u;

/**
 * Reads the text of an `<si>` or `<is>` that was just opened, up to its end: all runs of rich text, without phonetic ones.
 * `undefined` if the bytes end before.
 */
export function readRichText(xml: XmlScanner): string | undefined {
  let depth = 1;
  let text = "";
  /** The depths at which a text and a phonetic run were opened. */
  let textDepth = 0;
  let phoneticDepth = 0;
  let isRun = false;
  while (depth > 0) {
    const kind = xml.next();
    if (kind === MORE) return undefined;
    if (textDepth !== 0 && phoneticDepth === 0) {
      text +=
        kind === LITERAL
          ? xml.bytes.toString("utf8", xml.textStart, xml.textEnd)
          : xml.text(xml.textStart, xml.textEnd);
    }
    if (textDepth !== 0 && (kind === OPEN || kind === EMPTY)) throw xml.fault("a text in it holds elements");
    if (kind === OPEN) {
      depth++;
      if (depth === 2) isRun = xml.is(RUN);
      if (xml.is(TEXT) && (depth === 2 || (depth === 3 && isRun))) textDepth = depth;
      else if (xml.is(PHONETIC)) phoneticDepth = depth;
    } else if (kind === CLOSE) {
      if (depth === textDepth) textDepth = 0;
      if (depth === phoneticDepth) phoneticDepth = 0;
      depth--;
    }
  }
  return text;
}

/** Passes an element that was just opened; false if the bytes end before. */
export function passElement(xml: XmlScanner): boolean {
  for (let depth = 1; depth > 0;) {
    const kind = xml.next();
    if (kind === MORE) return false;
    if (kind === OPEN) depth++;
    else if (kind === CLOSE) depth--;
  }
  return true;
}

/** The text with its escapes undone; `undefined` if it holds a NUL or one half of a surrogate pair. */
export function undoEscapes(text: string): string | undefined {
  const plain = text.includes("_x")
    ? text.replaceAll(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
  return plain.includes("\0") || HALF_PAIR.test(plain) ? undefined : plain;
}
