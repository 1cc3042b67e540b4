import { isAt } from "../model/rows.ts";
import { createHash } from "node:crypto";
import type { RecordList } from "../model/settlement.ts";
import { type MemberSpans, scanMembers } from "./scan-members.ts";

/** Increased whenever equal records would get other prints than before. */
const FORM_VERSION = 2;

/**
 * 96 of the hash's 128 bits are kept: even among a thousand million records, two different ones are unlikely to share
 * a print.
 */
export const PRINT_BYTES = 12;
const HASH_BYTES = 16;
const NAME_BYTES = 8;
const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;
const MINUS = 0x2d;

/** How the creates of a push are compared with those of others; kept in its journal. */
export interface ComparedAs {
  /** Equal for pushes with the same columns, types and map. */
  readonly shape: string;
  /**
   * The fields of each hash that follows the print of the whole record: those of `--identify-by` or, so that these can be named
   * later, single ones that may turn out to be unique.
   */
  readonly hashed: readonly (readonly string[])[];
}

/** The bytes of a print with its hashes. */
export function widthOf({ hashed }: Pick<ComparedAs, "hashed">): number {
  return PRINT_BYTES * (1 + hashed.length);
}

/** Where the hash of these fields is, counted from the beginning of a print; `undefined` if there is none. */
export function placeOfHash(
  { hashed }: Pick<ComparedAs, "hashed">,
  fields: readonly string[] | undefined,
): number | undefined {
  const at = fields === undefined ? -1 : hashed.findIndex((own) => own.join("\n") === fields.join("\n"));
  return at < 0 ? undefined : PRINT_BYTES * (1 + at);
}

/** True for the hash of fields without a value. */
export function isEmptyHash(prints: Buffer, at: number): boolean {
  for (let byte = at; byte < at + PRINT_BYTES; byte++) if (prints[byte] !== 0) return false;
  return true;
}

/** A field that the records of an input may have from a column. */
export interface ComparedField {
  readonly field: string;
  /** The header of its column. */
  readonly header: string;
  /** Its type with the type's parameters, as text. */
  readonly type: string;
  /** Of amounts and digits, only the number is compared: not its decimals' zeros, or its leading ones. */
  readonly number: "amount" | "digits" | undefined;
  /** The value that fills a cell without one. */
  readonly fallback: string | undefined;
}

/** A field, with its name in the form that prints use. */
interface NamedField extends Pick<ComparedField, "field" | "number" | "fallback"> {
  /** The eight bytes of the name, as two words. */
  readonly name: readonly [number, number];
  readonly fallbackBytes: Buffer | undefined;
}

/**
 * Makes the print of a record: a hash of its comparison form. In that form fields come in the order of their names,
 * amounts have no trailing zeros, digits no leading ones (a spreadsheet cuts them), texts are trimmed and in NFC, and
 * an empty value is like an absent one; constants and defaults are left out (design.md, section 7).
 */
export class ComparisonForm {
  readonly comparedAs: ComparedAs;
  readonly width: number;
  readonly #fields: readonly NamedField[];
  /** By hash: the slots of its fields. */
  readonly #hashed: readonly (readonly number[])[];
  readonly #members: MemberSpans;
  #form = Buffer.allocUnsafe(4096);
  #view = viewOf(this.#form);
  #length = 0;

  constructor(fields: readonly ComparedField[], hashed: ComparedAs["hashed"]) {
    this.#fields = fields
      .map(({ field, fallback, number }) => ({
        field,
        fallback,
        name: nameOf(field),
        fallbackBytes: fallback === undefined ? undefined : Buffer.from(fallback),
        number,
      }))
      .sort((a, b) => (a.field < b.field ? -1 : 1));
    this.#members = scanMembers(this.#fields.map(({ field }) => field));
    this.#hashed = hashed.map((own) =>
      this.#fields.flatMap(({ field }, slot) => (own.includes(field) ? [slot] : [])),
    );
    this.width = widthOf({ hashed });
    const shape = fields.map(({ field, header, type }) => JSON.stringify([field, header, type])).sort();
    this.comparedAs = {
      shape: createHash("sha256").update(`${FORM_VERSION} ${shape.join()}`).digest("hex").slice(0, 32),
      hashed,
    };
  }

  /**
   * Writes the print of the record whose JSON text begins at `from` of `text` into `prints`, and its hashes; those without a value
   * are zeros.
   */
  print(text: Buffer, from: number, prints: Buffer, at: number): void {
    this.#members.scan(text, from);
    this.#length = 0;
    for (const slot of this.#fields.keys()) this.#add(slot, text);
    this.#hash(prints, at);
    let place = at;
    for (const slots of this.#hashed) {
      place += PRINT_BYTES;
      this.#length = 0;
      for (const slot of slots) this.#add(slot, text, true);
      if (this.#length > 0) this.#hash(prints, place);
      else prints.fill(0, place, place + PRINT_BYTES);
    }
  }

  /** The prints of records whose texts lie in `texts` one after the other, separated by commas. */
  printAll({ length, stretches }: RecordList, texts: Buffer): Buffer {
    const prints = Buffer.allocUnsafe(length * this.width);
    let start = 0;
    let at = 0;
    for (const { of, from, to } of stretches) {
      for (let index = from; index < to; index++) {
        this.print(texts, start, prints, at);
        start += of.bytes(index) + 1;
        at += this.width;
      }
    }
    return prints;
  }

  /**
   * Adds the value of a field, if the record scanned last has one that counts. In an identity a text of digits alone is
   * compared as digits are: a column may be a text in one push and digits in the next one.
   */
  #add(slot: number, text: Buffer, isIdentity = false): void {
    const { starts, ends, isPlain } = this.#members;
    const start = starts[slot]!;
    const { number, fallback, fallbackBytes, name } = this.#fields[slot]!;
    if (start < 0) return;
    const end = ends[slot]!;
    if (isPlain[slot] === 1) {
      if (fallbackBytes !== undefined && isAt(text, start, end, fallbackBytes)) return;
      if (number === "amount") this.#appendAmount(name, text, start, end);
      else if (number === "digits" || (isIdentity && areDigits(text, start, end)))
        this.#appendDigits(name, text, start, end);
      else if (end > start) this.#append(name, text, start, end);
      return;
    }
    const value = JSON.parse(`"${text.toString("utf8", start, end)}"`) as string;
    if (value === fallback) return;
    // No amount: these are plain.
    const bytes = Buffer.from(value.trim().normalize("NFC"));
    if (bytes.length > 0) this.#append(name, bytes, 0, bytes.length);
  }

  /** `595.00` and `595`, `437.50` and `437.5`, `-0` and `0` are the same amount. */
  #appendAmount(name: NamedField["name"], text: Buffer, start: number, end: number): void {
    let last = end;
    if (hasPoint(text, start, end)) {
      while (last > start && text[last - 1] === ZERO) last -= 1;
      if (last < end && last > start && text[last - 1] === POINT) last -= 1;
    }
    const isMinusZero = last - start === 2 && text[start] === MINUS && text[start + 1] === ZERO;
    if (last > start) this.#append(name, text, isMinusZero ? start + 1 : start, last);
  }

  #appendDigits(name: NamedField["name"], text: Buffer, start: number, end: number): void {
    let first = start;
    while (first < end - 1 && text[first] === ZERO) first += 1;
    if (end > start) this.#append(name, text, first, end);
  }

  // Values are short: a loop copies them in a tenth of the time that a call takes.
  #append([first, second]: NamedField["name"], value: Buffer, start: number, end: number): void {
    const length = NAME_BYTES + 4 + end - start;
    while (this.#length + length > this.#form.length) {
      this.#form = Buffer.concat([this.#form, Buffer.allocUnsafe(this.#form.length)]);
      this.#view = viewOf(this.#form);
    }
    const form = this.#form;
    let at = this.#length;
    this.#view.setInt32(at, first);
    this.#view.setInt32(at + 4, second);
    this.#view.setInt32(at + NAME_BYTES, end - start);
    at += NAME_BYTES + 4;
    for (let from = start; from < end; from++) form[at++] = value[from]!;
    this.#length = at;
  }

  #hash(prints: Buffer, at: number): void {
    murmur3(this.#view, 0, this.#length, hashView, 0);
    for (let byte = 0; byte < PRINT_BYTES; byte++) prints[at + byte] = hash[byte]!;
  }
}

const hash = Buffer.alloc(HASH_BYTES);
const hashView = viewOf(hash);

/** What represents the name of a field in the comparison form. */
function nameOf(field: string): NamedField["name"] {
  const digest = createHash("sha256").update(field).digest();
  return [digest.readInt32BE(0), digest.readInt32BE(4)];
}

function hasPoint(text: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text[at] === POINT) return true;
  return false;
}

function areDigits(text: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text[at]! < ZERO || text[at]! > NINE) return false;
  return true;
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

/**
 * MurmurHash3 (x86, 128 bits, by A. Appleby) of `length` bytes starting at `from`; its four words, little endian, are
 * written at `at`.
 */
export function murmur3(
  bytes: DataView,
  from: number,
  length: number,
  target: DataView,
  at: number,
  seed = 0,
): void {
  // Otherwise V8 treats the four as wider than 32 bits, which takes twice as long.
  let h1 = seed | 0;
  let h2 = seed | 0;
  let h3 = seed | 0;
  let h4 = seed | 0;
  const end = from + length;
  let place = from;
  for (; place + 16 <= end; place += 16) {
    h1 ^= Math.imul(rotate(Math.imul(bytes.getInt32(place, true), C1), 15), C2);
    h1 = (Math.imul((rotate(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= Math.imul(rotate(Math.imul(bytes.getInt32(place + 4, true), C2), 16), C3);
    h2 = (Math.imul((rotate(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= Math.imul(rotate(Math.imul(bytes.getInt32(place + 8, true), C3), 17), C4);
    h3 = (Math.imul((rotate(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= Math.imul(rotate(Math.imul(bytes.getInt32(place + 12, true), C4), 18), C1);
    h4 = (Math.imul((rotate(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  h1 ^= mix(wordAt(bytes, place, end), C1, 15, C2) ^ length;
  h2 ^= mix(wordAt(bytes, place + 4, end), C2, 16, C3) ^ length;
  h3 ^= mix(wordAt(bytes, place + 8, end), C3, 17, C4) ^ length;
  h4 ^= mix(wordAt(bytes, place + 12, end), C4, 18, C1) ^ length;
  const sum = (h1 + h2 + h3 + h4) | 0;
  h1 = spread(sum);
  h2 = spread((h2 + sum) | 0);
  h3 = spread((h3 + sum) | 0);
  h4 = spread((h4 + sum) | 0);
  const last = (h1 + h2 + h3 + h4) | 0;
  target.setInt32(at, last, true);
  target.setInt32(at + 4, (h2 + last) | 0, true);
  target.setInt32(at + 8, (h3 + last) | 0, true);
  target.setInt32(at + 12, (h4 + last) | 0, true);
}

/** Up to four bytes before `end`, padded with zeros. */
function wordAt(bytes: DataView, place: number, end: number): number {
  if (place + 4 <= end) return bytes.getInt32(place, true);
  let word = 0;
  for (let at = end - 1; at >= place; at--) word = (word << 8) | bytes.getUint8(at);
  return word;
}

function mix(word: number, by: number, bits: number, then: number): number {
  return Math.imul(rotate(Math.imul(word, by), bits), then);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function spread(word: number): number {
  let spread = word;
  spread = Math.imul(spread ^ (spread >>> 16), 0x85ebca6b);
  spread = Math.imul(spread ^ (spread >>> 13), 0xc2b2ae35);
  return spread ^ (spread >>> 16);
}
