import { isUtf8 } from "node:buffer";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";

/** The bytes end before the next tag is complete. */
export const MORE = 0;
export const OPEN = 1;
export const CLOSE = 2;
/** `<v/>`: opened and closed. */
export const EMPTY = 3;

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const COLON = 0x3a;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const EQUALS = 0x3d;
const BANG = 0x21;
const QUESTION = 0x3f;
const SPACE = 0x20;

const COMMENT = Buffer.from("!--");
const COMMENT_END = Buffer.from("-->");
const INSTRUCTION_END = Buffer.from("?>");

/** True for letters, the underscore and everything beyond ASCII: a name may begin with it. */
function beginsName(byte: number): boolean {
  return byte >= 0x80 || byte === 0x5f || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
}

/** By byte, 1 if a name may hold it: also digits, the colon after a prefix, the point and the hyphen. */
const NAME_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte >= 0x30 && byte <= 0x3a) || byte === 0x2d || byte === 0x2e || beginsName(byte) ? 1 : 0,
);

/** Finds the tags in a stretch of an XML document in UTF-8, one by one, without making anything of them. */
export class XmlScanner {
  bytes: Buffer = Buffer.alloc(0);
  /** After the last tag. */
  at = 0;
  /** The text before the last tag. */
  textStart = 0;
  textEnd = 0;
  /** The name of the last tag, without the prefix of its namespace. */
  nameStart = 0;
  nameEnd = 0;
  #attributesEnd = 0;
  /** How many elements are open. */
  depth = 0;
  /** A code of the name of each open element: only the last one may be closed. */
  readonly #codes: number[] = [];
  /** True once the outermost element was opened. */
  #hasRoot = false;
  #qualifiedStart = 0;
  /** Of the name of the last tag. */
  #code = 0;
  /** The length of the prefix that the names of the outermost element and its own kind have. */
  #prefixLength = 0;
  readonly #file: string;
  readonly #part: string;

  constructor(file: string, part: string) {
    this.#file = file;
    this.#part = part;
  }

  /** Goes after a byte order mark. Only UTF-8 is read; everything that writes workbooks writes it. */
  checkBeginning(): void {
    const { bytes } = this;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.at = 3;
    const head = bytes.toString("latin1", this.at, this.at + 200);
    const declared = /^<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(head)?.[1];
    const isWide = bytes[0] === 0xff || bytes[0] === 0xfe || bytes[0] === 0 || bytes[1] === 0;
    if (isWide || (declared !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(declared)))
      throw this.fault(`it is written in ${declared ?? "UTF-16"}, not in UTF-8`);
  }

  /** The next tag. Comments and processing instructions are passed over, and cut the text in two. */
  next(): number {
    const { bytes } = this;
    const end = bytes.length;
    for (;;) {
      const textStart = this.at;
      let at = textStart;
      while (at < end && bytes[at] !== LT) at++;
      if (at + 1 >= end) return MORE;
      const first = bytes[at + 1]!;
      if (first === BANG || first === QUESTION) {
        if (!this.#passSpecial(at)) return MORE;
        continue;
      }
      const tagEnd = this.#findEnd(at + 1);
      if (tagEnd === -1) return MORE;
      this.textStart = textStart;
      this.textEnd = at;
      this.at = tagEnd + 1;
      const isClose = first === SLASH;
      const isEmpty = bytes[tagEnd - 1] === SLASH;
      this.#readName(isClose ? at + 2 : at + 1, isEmpty && !isClose ? tagEnd - 1 : tagEnd);
      const kind = isClose ? CLOSE : isEmpty ? EMPTY : OPEN;
      this.#nest(kind);
      return kind;
    }
  }

  /** To be called at the end of the part: all that was opened is closed. */
  checkEnd(): void {
    if (this.depth > 0 || !this.#hasRoot || this.#holdsText(this.at, this.bytes.length))
      throw this.fault("it is cut off");
  }

  /** True if the last tag has this name. Its prefix has to be that of the outermost element. */
  is(name: Buffer): boolean {
    const { bytes, nameStart } = this;
    const length = this.nameEnd - nameStart;
    if (length !== name.length) return false;
    for (let at = 0; at < length; at++) if (bytes[nameStart + at] !== name[at]) return false;
    if (nameStart - this.#qualifiedStart !== this.#prefixLength)
      throw this.fault("one of its elements has the name of another kind");
    return true;
  }

  /** Calls with each attribute of the last tag: where its name, without prefix, and its value are. */
  attributes(take: (nameStart: number, nameEnd: number, start: number, end: number) => void): void {
    const { bytes } = this;
    const end = this.#attributesEnd;
    let at = this.nameEnd;
    for (;;) {
      while (at < end && bytes[at]! <= SPACE) at++;
      if (at >= end) return;
      let nameStart = at;
      if (!beginsName(bytes[at]!)) throw this.fault("a tag in it cannot be read");
      while (at < end && NAME_BYTES[bytes[at]!] === 1) if (bytes[at++] === COLON) nameStart = at;
      const nameEnd = at;
      while (at < end && (bytes[at] === EQUALS || bytes[at]! <= SPACE)) at++;
      const isQuoted = bytes[at] === QUOTE || bytes[at] === APOSTROPHE;
      const close = isQuoted && at > nameEnd && nameEnd > nameStart ? bytes.indexOf(bytes[at]!, at + 1) : -1;
      if (close === -1 || close >= end || (close + 1 < end && bytes[close + 1]! > SPACE))
        throw this.fault("a tag in it cannot be read");
      for (let inside = at + 1; inside < close; inside++)
        if (bytes[inside] === LT) throw this.fault("a tag in it cannot be read");
      take(nameStart, nameEnd, at + 1, close);
      at = close + 1;
    }
  }

  /** The attributes of the last tag by their names without prefix. */
  attributeTexts(): Map<string, string> {
    const found = new Map<string, string>();
    const own = new Set<string>();
    this.attributes((nameStart, nameEnd, start, end) => {
      const name = this.bytes.toString("utf8", nameStart, nameEnd);
      const isPrefixed = this.bytes[nameStart - 1] === COLON;
      if (own.has(name)) {
        if (isPrefixed) return;
        throw this.fault("a tag in it says something twice");
      }
      if (!isPrefixed) own.add(name);
      found.set(name, this.text(start, end));
    });
    return found;
  }

  /** The text of some bytes, with its references resolved and its line ends made line feeds. */
  text(start: number, end: number): string {
    return resolveText(this.bytes.toString("utf8", start, end), (what) => this.fault(what));
  }

  /** The part of the workbook cannot be read. */
  fault(what: string): RecPushError {
    return inputError(
      { file: this.#file },
      "damaged-workbook",
      `the workbook is damaged: ${this.#part}: ${what}`,
      {
        hint: "open it in a spreadsheet program and save it again",
      },
    );
  }

  #nest(kind: number): void {
    if (this.depth === 0) {
      if (this.#hasRoot || kind === CLOSE || this.#holdsText(this.textStart, this.textEnd))
        throw this.fault("it holds more than one element");
      this.#hasRoot = true;
      this.#prefixLength = this.nameStart - this.#qualifiedStart;
    }
    if (kind === OPEN) this.#codes[this.depth++] = this.#code;
    else if (kind === CLOSE && this.#codes[--this.depth] !== this.#code)
      throw this.fault("a tag in it is not closed");
  }

  #readName(start: number, end: number): void {
    const { bytes } = this;
    let nameStart = start;
    let at = start;
    let code = 0;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (NAME_BYTES[byte] === 0) break;
      if (byte === COLON) nameStart = at + 1;
      code = (31 * code + byte) | 0;
    }
    if (nameStart === at || !beginsName(bytes[start]!) || (at < end && bytes[at]! > SPACE))
      throw this.fault("a tag in it cannot be read");
    this.#code = code;
    this.#qualifiedStart = start;
    this.nameStart = nameStart;
    this.nameEnd = at;
    this.#attributesEnd = end;
  }

  /** The place of the `>` that ends a tag; -1 if it is not there. */
  #findEnd(from: number): number {
    const { bytes } = this;
    const end = bytes.length;
    for (let at = from; at < end; at++) {
      const code = bytes[at]!;
      if (code === GT) return at;
      if (code === QUOTE || code === APOSTROPHE) {
        at = bytes.indexOf(code, at + 1);
        if (at === -1) return -1;
      } else if (code === LT) throw this.fault("a tag in it cannot be read");
    }
    return -1;
  }

  /** Passes a comment or an instruction; false if the bytes end inside it. */
  #passSpecial(at: number): boolean {
    const { bytes } = this;
    if (bytes.length - at <= COMMENT.length) return false;
    const isComment = bytes.subarray(at + 1, at + 1 + COMMENT.length).equals(COMMENT);
    if (!isComment && bytes[at + 1] === BANG)
      throw this.fault("it holds a document type or a CDATA section, which are not read");
    if (!isComment && !beginsName(bytes[at + 2]!)) throw this.fault("a tag in it cannot be read");
    const mark = isComment ? COMMENT_END : INSTRUCTION_END;
    const close = bytes.indexOf(mark, at + (isComment ? 4 : 2));
    if (close === -1) return false;
    if (!isComment && bytes.subarray(at + 1, close).includes(LT))
      throw this.fault("a tag in it cannot be read");
    if (this.#holdsText(this.at, at)) throw this.fault("a comment stands inside a value");
    this.at = close + mark.length;
    return true;
  }

  /** True if something else than spaces and line ends is among the bytes. */
  #holdsText(start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (this.bytes[at]! > SPACE) return true;
    return false;
  }
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** The text of XML with its references resolved and its line ends made line feeds; `fault` is thrown where that is impossible. */
function resolveText(text: string, fault: (what: string) => Error): string {
  const ended = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  if (!ended.includes("&")) return ended;
  return ended.replaceAll(
    /&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));|&/g,
    (_, hex?: string, decimal?: string, name?: string) => {
      const number = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      if (hex !== undefined || decimal !== undefined) {
        if (!isCharacter(number)) throw fault("a character in it is none");
        return String.fromCodePoint(number);
      }
      const character = NAMED.get(name ?? "");
      if (character === undefined) throw fault("it holds a reference that means nothing");
      return character;
    },
  );
}

/** XML 1.0, production 2. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return code < 0xd800 || (code >= 0xe000 && code < 0xfffe) || (code >= 0x10000 && code <= 0x10ffff);
}

/** The XML of one row, or of one shared string, is at most so long. */
const MOST_UNIT_BYTES = 8 * 1024 ** 2;
/** The size of a stretch of an unpacked part, with the rest of the one before. */
const FIRST_BYTES = 524_288;

/**
 * Reads an XML document unit by unit: `takeUnit` reads one, such as a row or what is between two rows, and gives false
 * where the bytes end inside it; it then gets the same unit again with more bytes. Yields after each stretch, and where
 * `isFull` says so after a unit: a few bytes may name a long text many times.
 */
export async function* scanUnits(
  chunks: AsyncIterable<Buffer>,
  xml: XmlScanner,
  takeUnit: () => boolean,
  isFull: () => boolean = () => false,
): AsyncGenerator<void> {
  // One buffer for the whole document: a new one for each stretch would wait for the garbage collector.
  let held = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let heldBytes = 0;
  let isFirst = true;
  let wanted = 0;
  /** False if it stopped before the end of the bytes. */
  const scan = (): boolean => {
    xml.bytes = held.subarray(0, heldBytes);
    xml.at = 0;
    if (isFirst) xml.checkBeginning();
    isFirst = false;
    let at = 0;
    let { depth } = xml;
    let isDone = true;
    while (isDone && takeUnit()) {
      at = xml.at;
      depth = xml.depth;
      isDone = !isFull();
    }
    xml.depth = depth;
    if (!isUtf8(xml.bytes.subarray(0, at))) throw xml.fault("it is not UTF-8");
    const rest = heldBytes - at;
    if (rest > MOST_UNIT_BYTES) throw xml.fault("one row or text in it is longer than 8 MiB");
    held.copyWithin(0, at, heldBytes);
    heldBytes = rest;
    xml.bytes = held.subarray(0, rest);
    xml.at = 0;
    // A unit longer than the bytes at hand is read again after twice as many have come.
    wanted = isDone ? 2 * rest : 0;
    return isDone;
  };
  for await (const chunk of chunks) {
    if (heldBytes + chunk.length > held.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (heldBytes + chunk.length));
      held.copy(larger, 0, 0, heldBytes);
      held = larger;
    }
    chunk.copy(held, heldBytes);
    heldBytes += chunk.length;
    if (heldBytes < wanted) continue;
    while (!scan()) yield;
    yield;
  }
  while (!scan()) yield;
  xml.checkEnd();
  yield;
}
