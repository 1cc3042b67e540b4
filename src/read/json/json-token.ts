import { readUtf8Length } from "../text/utf8-check.ts";
import { type JsonWindow, readEscapeLength } from "./json-fault.ts";

/** Why a string stops: it is closed, it may continue, or the byte there is not allowed. */
export type StringStop = "closed" | "cut" | "control character" | "escape" | "encoding";

/** True for ASCII bytes that a string may contain unescaped. */
function isPlain(byte: number): boolean {
  return byte < 0x80 && byte > 0x1f && byte !== 0x22 && byte !== 0x5c;
}

/** The current name, string or number. Its bytes stay in the window until it is complete, unless it is let go. */
export class JsonToken {
  hasEscapes = false;
  /** Index of its first byte, after the opening quote; -1 if it is not kept. */
  start = -1;
  /** Index of the byte at which {@link scanString} stopped. */
  stoppedAt = 0;
  /** Index after its last byte, once it is complete. */
  end = -1;
  private isAscii = true;
  private readonly window: JsonWindow;

  constructor(window: JsonWindow) {
    this.window = window;
  }

  begin(start: number): void {
    this.start = start;
    this.hasEscapes = false;
    this.isAscii = true;
  }

  complete(end: number): void {
    this.end = end;
  }

  /** Stops keeping the token's bytes, however long it becomes; its text is then `""`. */
  letGo(): void {
    this.start = -1;
  }

  /** Continues a string at index `i`, up to {@link stoppedAt}. */
  scanString(i: number): StringStop {
    const { bytes } = this.window;
    for (;;) {
      while (i < bytes.length && isPlain(bytes[i]!)) i++;
      const byte = bytes[i];
      this.stoppedAt = i;
      if (byte === undefined) return "cut";
      if (byte === 0x22) return "closed";
      if (byte < 0x20) return "control character";
      const isEscape = byte === 0x5c;
      const length = isEscape ? readEscapeLength(bytes, i) : readUtf8Length(bytes, i);
      if (length === 0 && !this.window.ended) return "cut";
      if (length <= 0) return isEscape ? "escape" : "encoding";
      if (isEscape) this.hasEscapes = true;
      else this.isAscii = false;
      i += length;
    }
  }

  /** The text of the complete token, without escapes. */
  text(): string {
    if (this.start < 0) return "";
    const { bytes } = this.window;
    if (!this.hasEscapes) return bytes.toString(this.isAscii ? "latin1" : "utf8", this.start, this.end);
    return JSON.parse(bytes.toString("utf8", this.start - 1, this.end + 1)) as string;
  }

  /** True if the complete token has these bytes and no escapes; cheaper than {@link text}. */
  holds(encoded: Buffer): boolean {
    const { start, end } = this;
    if (start < 0 || this.hasEscapes || end - start !== encoded.length) return false;
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
