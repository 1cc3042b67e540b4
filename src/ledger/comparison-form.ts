import { createHash, hash } from "node:crypto";
import type { RecordList } from "../model/settlement.ts";

/**
 * 96 bits of a hash are kept: even among a thousand million records, two different ones are unlikely to share a print.
 */
export const PRINT_BYTES = 12;

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
  /** For amounts and digits only the number is compared, without final zeros of decimals and without leading zeros. */
  readonly number: "amount" | "digits" | undefined;
  /** The value that fills a cell without one. */
  readonly fallback: string | undefined;
}

/**
 * Makes the print of a record: a hash of its comparison form. In that form fields come in the order of their names,
 * amounts have no trailing zeros, digits no leading ones (a spreadsheet cuts them), texts are trimmed and in NFC, and
 * an empty value is like an absent one; constants and defaults are left out (design.md, section 7).
 */
export class ComparisonForm {
  readonly comparedAs: ComparedAs;
  readonly width: number;
  readonly #fields: readonly ComparedField[];
  /** By hash: its fields. */
  readonly #hashed: readonly (readonly ComparedField[])[];

  constructor(fields: readonly ComparedField[], hashed: ComparedAs["hashed"]) {
    this.#fields = fields.toSorted((a, b) => (a.field < b.field ? -1 : 1));
    this.#hashed = hashed.map((own) => this.#fields.filter(({ field }) => own.includes(field)));
    this.width = widthOf({ hashed });
    const shape = fields.map(({ field, header, type }) => JSON.stringify([field, header, type])).sort();
    this.comparedAs = {
      shape: createHash("sha256").update(shape.join()).digest("hex").slice(0, 32),
      hashed,
    };
  }

  /**
   * Writes the print of the record whose JSON text lies in `text` into `prints`, and its hashes; those without a value are zeros.
   */
  print(text: Buffer, start: number, bytes: number, prints: Buffer, at: number): void {
    const record = JSON.parse(text.toString("utf8", start, start + bytes)) as Record<string, string>;
    writePrint(comparedText(this.#fields, record, false), prints, at);
    for (const [index, fields] of this.#hashed.entries()) {
      const place = at + (index + 1) * PRINT_BYTES;
      const text = comparedText(fields, record, true);
      if (text !== "") writePrint(text, prints, place);
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
}

/** Names and values, each after its length, of those of the fields for which the record has a value that counts. */
function comparedText(
  fields: readonly ComparedField[],
  record: Readonly<Record<string, string>>,
  isIdentity: boolean,
): string {
  let text = "";
  for (const { field, fallback, number } of fields) {
    const value = Object.hasOwn(record, field) ? record[field]! : "";
    const compared = value === fallback ? "" : comparedValue(value, number, isIdentity);
    if (compared !== "") text += `${field.length}:${field}${compared.length}:${compared}`;
  }
  return text;
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

/** Writes the print of a text: the beginning of its SHA-256. */
export function writePrint(text: string, prints: Buffer, at: number): void {
  // As a text: a buffer of node:crypto takes three times as long.
  prints.write(hash("sha256", text, "binary"), at, PRINT_BYTES, "binary");
}
