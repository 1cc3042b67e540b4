import { createHash } from "node:crypto";
import type { RecordList } from "../model/settlement.ts";

/** Increased whenever equal records would get other prints than before. */
const FORM_VERSION = 2;

/**
 * 96 of the hash's 128 bits are kept: even among a thousand million records, two different ones are unlikely to share
 * a print.
 */
export const PRINT_BYTES = 12;
const HASH_BYTES = 16;
const NAME_BYTES = 8;
/** A character of UTF-16 takes at most so many bytes of UTF-8. */
const MOST_BYTES_A_UNIT = 3;

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

/** A field, with the eight bytes that stand for its name in prints, as two words. */
interface NamedField extends Pick<ComparedField, "field" | "number" | "fallback"> {
  readonly name: readonly [number, number];
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
  /** By hash: its fields. */
  readonly #hashed: readonly (readonly NamedField[])[];
  #form = Buffer.allocUnsafe(4096);
  #view = viewOf(this.#form);
  #length = 0;

  constructor(fields: readonly ComparedField[], hashed: ComparedAs["hashed"]) {
    this.#fields = fields
      .map(({ field, fallback, number }) => ({ field, fallback, name: nameOf(field), number }))
      .sort((a, b) => (a.field < b.field ? -1 : 1));
    this.#hashed = hashed.map((own) => this.#fields.filter(({ field }) => own.includes(field)));
    this.width = widthOf({ hashed });
    const shape = fields.map(({ field, header, type }) => JSON.stringify([field, header, type])).sort();
    this.comparedAs = {
      shape: createHash("sha256").update(`${FORM_VERSION} ${shape.join()}`).digest("hex").slice(0, 32),
      hashed,
    };
  }

  /**
   * Writes the print of the record whose JSON text lies in `text` into `prints`, and its hashes; those without a value are zeros.
   */
  print(text: Buffer, start: number, bytes: number, prints: Buffer, at: number): void {
    const record = JSON.parse(text.toString("utf8", start, start + bytes)) as Record<string, string>;
    this.#length = 0;
    for (const field of this.#fields) this.#add(field, record);
    this.#hash(prints, at);
    let place = at;
    for (const fields of this.#hashed) {
      place += PRINT_BYTES;
      this.#length = 0;
      for (const field of fields) this.#add(field, record, true);
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
        const bytes = of.bytes(index);
        this.print(texts, start, bytes, prints, at);
        start += bytes + 1;
        at += this.width;
      }
    }
    return prints;
  }

  /** Adds the value of a field, if the record has one that counts: name, length and UTF-8. */
  #add(field: NamedField, record: Readonly<Record<string, string>>, isIdentity = false): void {
    const value = Object.hasOwn(record, field.field) ? record[field.field]! : "";
    const compared = value === field.fallback ? "" : comparedValue(value, field.number, isIdentity);
    if (compared === "") return;
    const most = this.#length + NAME_BYTES + 4 + MOST_BYTES_A_UNIT * compared.length;
    if (most > this.#form.length) {
      this.#form = Buffer.concat([this.#form], 2 * most);
      this.#view = viewOf(this.#form);
    }
    const [first, second] = field.name;
    const at = this.#length + NAME_BYTES + 4;
    const bytes = this.#form.write(compared, at);
    this.#view.setInt32(this.#length, first);
    this.#view.setInt32(this.#length + 4, second);
    this.#view.setInt32(this.#length + NAME_BYTES, bytes);
    this.#length = at + bytes;
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

/**
 * A value in its comparison form. In an identity a text of digits alone is compared as digits are: a column may be a text in one
 * push and digits in the next one.
 */
function comparedValue(value: string, number: ComparedField["number"], isIdentity: boolean): string {
  if (number === "amount") {
    // `595.00` and `595`, `437.50` and `437.5`, `-0` and `0` are the same amount.
    const amount = value.includes(".") ? value.replace(/\.?0+$/, "") : value;
    return amount === "-0" ? "0" : amount;
  }
  if (number === "digits" || (isIdentity && /^\d+$/.test(value))) return value.replace(/^0+(?=.)/, "");
  return value.trim().normalize("NFC");
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
