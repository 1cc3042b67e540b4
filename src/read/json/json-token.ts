import { type JsonWindow, readEscapeLength } from "./json-fault.ts";

/** Why a string stops: it is closed, it may continue, or the byte there is not allowed. */
export type StringStop = "closed" | "cut" | "control character" | "escape";

/** The current name, string or number. */
export class JsonToken {
  hasEscapes = false;
  /** Index of its first byte, after the opening quote. */
  start = 0;
  /** Index after its last byte; where {@link scanString} stopped. */
  end = 0;
  private readonly window: JsonWindow;

  constructor(window: JsonWindow) {
    this.window = window;
  }

  setNumber(start: number, end: number): void {
    this.start = start;
    this.end = end;
    this.hasEscapes = false;
  }

  /** Scans the string whose text begins at index `start`. The bytes are known to be UTF-8. */
  scanString(start: number): StringStop {
    const { bytes } = this.window;
    this.start = start;
    this.hasEscapes = false;
    for (let i = start; ;) {
      let byte = bytes[i];
      while (byte !== undefined && byte > 0x1f && byte !== 0x22 && byte !== 0x5c) byte = bytes[++i];
      this.end = i;
      if (byte === undefined) return "cut";
      if (byte === 0x22) return "closed";
      if (byte < 0x20) return "control character";
      const length = readEscapeLength(bytes, i);
      if (length === 0 && !this.window.ended) return "cut";
      if (length <= 0) return "escape";
      this.hasEscapes = true;
      i += length;
    }
  }

  /** Its text, without escapes. */
  text(): string {
    const { bytes } = this.window;
    if (!this.hasEscapes) return bytes.toString("utf8", this.start, this.end);
    return JSON.parse(bytes.toString("utf8", this.start - 1, this.end + 1)) as string;
  }

  /** True if the complete token has these bytes and no escapes; cheaper than {@link text}. */
  holds(encoded: Buffer): boolean {
    const { start, end } = this;
    if (this.hasEscapes || end - start !== encoded.length) return false;
    const { bytes } = this.window;
    for (let i = 0; i < encoded.length; i++) if (bytes[start + i] !== encoded[i]) return false;
    return true;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function skipDigits(bytes: Buffer, i: number): number {
  while (isDigit(bytes[i])) i++;
  return i;
}

/**
 * The index after the number that begins at `start` (RFC 8259 section 6); for a malformed one `~index` of the byte that
 * should be a digit, or `~start` if it has leading zeros.
 */
export function endOfNumber(bytes: Buffer, start: number): number {
  let i = bytes[start] === 0x2d ? start + 1 : start;
  if (!isDigit(bytes[i])) return ~i;
  if (bytes[i] === 0x30 && isDigit(bytes[i + 1])) return ~start;
  i = skipDigits(bytes, i);
  if (bytes[i] === 0x2e) {
    if (!isDigit(bytes[++i])) return ~i;
    i = skipDigits(bytes, i);
  }
  if (bytes[i] === 0x65 || bytes[i] === 0x45) {
    i++;
    if (bytes[i] === 0x2b || bytes[i] === 0x2d) i++;
    if (!isDigit(bytes[i])) return ~i;
    i = skipDigits(bytes, i);
  }
  return i;
}
