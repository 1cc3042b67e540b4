import type { FailureCode } from "../../model/failure-codes.ts";
import type { InputPlace } from "../../model/failure.ts";
import {
  type Expectation,
  EXPECTED,
  failBroken,
  isLineEnd,
  type JsonWindow,
  LOOKAHEAD_BYTES,
  STRING_FAULTS,
} from "./json-fault.ts";
import { endOfNumber, JsonToken } from "./json-token.ts";

/** Containers nested deeper than this are refused (RFC 8259 section 9 allows a limit). */
const MAX_DEPTH = 512;

/**
 * Reads JSON strictly by RFC 8259, in one pass, cut anywhere, and reports to a listener what it finds. Containers below
 * `captureDepth` are checked but not reported. Throws an input error with line and column at the first fault.
 */
export class JsonScanner {
  readonly window: JsonWindow;
  readonly token: JsonToken;
  /** To be set before the first scan; a listener may set another one. */
  listener!: JsonListener;
  captureDepth = 0;
  depth = 0;
  /** Index in the window of the first byte of the value that is reported to the listener. */
  valueAt = 0;
  /** True if the container that was closed last held nothing. */
  isEmpty = false;
  private readonly many: boolean;
  private readonly isObjectAt = new Uint8Array(MAX_DEPTH + 1);
  /** The index of the next byte; inside a listener, that of the opening bracket, or after the closing one. */
  position = 0;
  private state: Expectation = "top";
  private stateBefore: Expectation = "top";
  /** Where the scan begins again if the bytes end before the value that is read. */
  private held: HeldPlace | undefined;

  /** `many`: values follow each other at the top level, as in NDJSON. */
  constructor(window: JsonWindow, many: boolean) {
    this.window = window;
    this.token = new JsonToken(window);
    this.many = many;
  }

  /** Number of input bytes scanned; inside a listener, up to the opening bracket or after the closing one. */
  get offset(): number {
    return this.window.base + this.position;
  }

  /** The current position of the scan. */
  get place(): Required<InputPlace> {
    return this.window.placeOf(this.position);
  }

  /** Bytes kept because the current token is incomplete; to be read when the scan has reached the end of the bytes. */
  get keptBytes(): number {
    return this.window.bytes.length - this.position;
  }

  /** To be called while a container opens: until {@link letGo} its bytes are kept, and read again if they end inside it. */
  hold(): void {
    const { position, depth, stateBefore: state, captureDepth } = this;
    this.held = { position, depth: depth - 1, state, captureDepth, lines: this.window.lines };
  }

  letGo(): void {
    this.held = undefined;
  }

  /** Takes the next bytes; the previous scan must have reached its end. */
  feed(chunk: Buffer): void {
    this.window.slide(this.position, chunk);
    this.valueAt -= this.position;
    this.position = 0;
  }

  /** Scans the available bytes. True if the listener paused it: call again. */
  scan(): boolean {
    const end = this.window.bytes.length;
    for (;;) {
      this.skipBlanks();
      if (this.position >= end) break;
      const rowEnd = this.takeRow();
      if (rowEnd !== -1) {
        this.position = rowEnd;
        this.endValue();
        if (this.listener.close()) return true;
        continue;
      }
      const depthBefore = this.depth;
      if (!this.step()) break;
      if (this.depth < depthBefore && this.depth <= this.captureDepth && this.listener.close()) return true;
    }
    const isComplete = this.state === "end" || (this.state === "top" && this.many);
    if (this.window.ended && !isComplete) this.refuseHere();
    if (this.held !== undefined) this.goBack(this.held);
    return false;
  }

  private goBack({ position, depth, state, captureDepth, lines }: HeldPlace): void {
    this.position = position;
    this.depth = depth;
    this.state = state;
    this.captureDepth = captureDepth;
    this.window.goBack(lines);
    this.held = undefined;
    this.listener.goBack?.();
  }

  /** Throws, or returns false if the bytes that show what was found have not come yet. */
  private refuse(i: number, expected: string, code: FailureCode = "json-syntax"): false {
    const { bytes, ended } = this.window;
    if (!ended && bytes.length - i < LOOKAHEAD_BYTES) return false;
    throw failBroken(this.window, i, expected, code);
  }

  private refuseHere(): false {
    const isNextTop = this.state === "top" && this.many;
    return this.refuse(this.position, isNextTop ? "the { of a row" : EXPECTED[this.state]);
  }

  private skipBlanks(): void {
    const { bytes } = this.window;
    let i = this.position;
    for (; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (byte > 0x20) break;
      if (isLineEnd(byte)) this.window.breakLine(i);
      else if (byte !== 0x20 && byte !== 0x09) break;
    }
    this.position = i;
  }

  /** See {@link JsonListener.takeRow}. */
  private takeRow(): number {
    const { state, listener, position } = this;
    if (this.window.bytes[position] !== 0x7b || listener.takeRow === undefined) return -1;
    return state === "element" || state === "top" ? listener.takeRow(position) : -1;
  }

  /** Reads one token; false if more bytes are needed. */
  private step(): boolean {
    const byte = this.window.bytes[this.position]!;
    switch (this.state) {
      case "firstElement":
        return byte === 0x5d ? this.close() : this.beginValue(byte);
      case "top":
      case "element":
      case "value":
        return this.beginValue(byte);
      case "firstName":
      case "name":
        if (byte === 0x7d && this.state === "firstName") return this.close();
        return byte === 0x22 ? this.takeString(true) : this.refuseHere();
      case "colon":
        return byte === 0x3a ? this.pass("value") : this.refuseHere();
      case "afterElement":
        if (byte === 0x2c) return this.pass("element");
        return byte === 0x5d ? this.close() : this.refuseHere();
      case "afterMember":
        if (byte === 0x2c) return this.pass("name");
        return byte === 0x7d ? this.close() : this.refuseHere();
      case "end":
        return this.refuseHere();
    }
  }

  private pass(next: Expectation): true {
    this.position++;
    this.state = next;
    return true;
  }

  private beginValue(byte: number): boolean {
    this.valueAt = this.position;
    if (byte === 0x22) return this.takeString(false);
    if (byte === 0x7b || byte === 0x5b) return this.open(byte === 0x7b);
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return this.takeNumber();
    const word = wordOf(byte);
    return word === undefined ? this.refuseHere() : this.takeWord(word);
  }

  private open(isObject: boolean): boolean {
    if (this.depth === MAX_DEPTH) {
      return this.refuse(this.position, `at most ${MAX_DEPTH} levels of [ and {`, "json-depth");
    }
    this.stateBefore = this.state;
    this.depth++;
    this.isObjectAt[this.depth] = isObject ? 1 : 0;
    this.state = isObject ? "firstName" : "firstElement";
    if (this.depth - 1 <= this.captureDepth) this.listener.open(isObject);
    this.position++;
    return true;
  }

  private close(): true {
    this.isEmpty = this.state === "firstElement" || this.state === "firstName";
    this.position++;
    this.depth--;
    this.endValue();
    return true;
  }

  private endValue(): void {
    if (this.depth === 0) this.state = this.many ? "top" : "end";
    else this.state = this.isObjectAt[this.depth] === 1 ? "afterMember" : "afterElement";
  }

  private endScalar(type: JsonScalar, end: number): true {
    this.position = end;
    this.endValue();
    if (this.depth <= this.captureDepth) this.listener.scalar(type);
    return true;
  }

  private takeNumber(): boolean {
    const start = this.position;
    const { bytes, ended } = this.window;
    const found = endOfNumber(bytes, start);
    const end = found < 0 ? ~found : found;
    if (end === bytes.length && !ended) return false;
    if (found < 0) return this.refuse(end, end === start ? "a number without leading zeros" : "a digit");
    this.token.setNumber(start, end);
    return this.endScalar("number", end);
  }

  private takeWord(word: JsonWord): boolean {
    const { bytes, ended } = this.window;
    const found = bytes.toString("latin1", this.position, this.position + word.length);
    if (found !== word) return !ended && word.startsWith(found) ? false : this.refuseHere();
    return this.endScalar(word, this.position + word.length);
  }

  private takeString(isName: boolean): boolean {
    const { token } = this;
    const why = token.scanString(this.position + 1);
    if (why === "cut" && !this.window.ended) return false;
    if (why !== "closed") return this.refuse(token.end, STRING_FAULTS[why]);
    if (!isName) return this.endScalar("string", token.end + 1);
    this.position = token.end + 1;
    this.state = "colon";
    if (this.depth <= this.captureDepth) this.listener.name();
    return true;
  }
}

/** Kinds of values that do not contain others. */
export type JsonScalar = "string" | "number" | "true" | "false" | "null";

/** A value that is a word. */
export type JsonWord = "true" | "false" | "null";

/** The word that begins with a byte. */
export function wordOf(byte: number): JsonWord | undefined {
  if (byte === 0x74) return "true";
  if (byte === 0x66) return "false";
  return byte === 0x6e ? "null" : undefined;
}

/** A place to which the scan can return. */
interface HeldPlace {
  readonly position: number;
  readonly depth: number;
  readonly state: Expectation;
  readonly captureDepth: number;
  readonly lines: JsonWindow["lines"];
}

/** Called with the tokens in containers down to the scanner's `captureDepth`, in the order of the file. */
export interface JsonListener {
  /** A container opens; `scanner.depth` already includes it. */
  open(isObject: boolean): void;
  /** A container is closed; `scanner.depth` no longer includes it. Returning true pauses the scan. */
  close(): boolean;
  /** A member name; `scanner.token` has it. */
  name(): void;
  /** A value that is not a container; `scanner.token` has it. */
  scalar(type: JsonScalar): void;
  /**
   * A value opens with a brace at this index, where a row may be: takes all of it and returns the index after it, or -1 if
   * the scanner is to read it.
   */
  takeRow?(at: number): number;
  /** The scan goes back to where it was told to hold. */
  goBack?(): void;
}

/** A scalar in words. */
export function describeScalar(type: JsonScalar): string {
  return type === "string" || type === "number" ? `a ${type}` : type;
}

/** The offset at which the scalar that ends at `end` begins. */
export function startOfScalar(
  { window, token }: { readonly window: Pick<JsonWindow, "base">; readonly token: JsonToken },
  type: JsonScalar,
  end: number,
): number {
  if (type === "true" || type === "false" || type === "null") return end - type.length;
  return window.base + token.start - (type === "string" ? 1 : 0);
}

/** The current scalar token as text: the text of a string, the source of a number, or `true`, `false`, `null`. */
export function scalarText(token: JsonToken, type: JsonScalar): string {
  return type === "string" || type === "number" ? token.text() : type;
}
