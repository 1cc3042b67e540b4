import { isEmpty, type ExaminedField } from "./examine-row.ts";
import type { FieldPlan } from "./field-plan.ts";
import { jsonString, jsonStringBody } from "./json-text.ts";
import { mostAdded, NOT_PLAIN, plainWriter, type WritePlain } from "./plain-cells.ts";
import { isBlank } from "../spaces.ts";

/** Where the cells of a row begin and end in its bytes, by column. */
export interface CellPlaces {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** A field with all that it takes to write its member. */
interface PlainField {
  readonly field: ExaminedField;
  /** What stands before its value, where it is the record's first member and where it is not. */
  readonly first: Buffer;
  readonly next: Buffer;
  readonly write: WritePlain | undefined;
}

/** What a cell gives that is blank after all. */
const NO_VALUE = -2;
/** A JSON escape takes so many bytes for one. */
const MOST_ESCAPED = 6;
const SPACE = 0x20;
const FIRST_BEYOND_ASCII = 0x80;

/** True where records can be written cell by cell: nothing is asked of a row as a whole but that it has a value. */
export function isPlainPlan({ fields, rules }: FieldPlan): boolean {
  const isPlainRow = !rules.sendsEmpty && rules.only === undefined && rules.nameless.length === 0;
  return isPlainRow && fields.every(({ fallback }) => fallback === undefined);
}

/**
 * Writes the records of rows from bytes to bytes, without making text of their cells where these are plain. What it
 * writes is what `compileRecords` makes, as tests prove. Takes plans for which {@link isPlainPlan} is true.
 */
export class PlainRecordWriter {
  /** Where the key of the last record stands in what was written, in ASCII; equal without one. */
  keyStart = 0;
  keyEnd = 0;
  readonly #fields: readonly PlainField[];
  readonly #tail: Buffer;
  readonly #hasExtras: boolean;
  readonly #fixedBytes: number;

  constructor({ fields, parts, constants, rules }: FieldPlan) {
    this.#fields = fields.map((field, slot) => ({
      field,
      first: Buffer.from(`{${jsonString(field.field)}:"`),
      next: Buffer.from(`",${jsonString(field.field)}:"`),
      write: plainWriter(parts.specs[slot]!, field),
    }));
    const extras = [...constants]
      .map(([name, value]) => `,${jsonString(name)}:${jsonString(value)}`)
      .join("");
    this.#tail = Buffer.from(`"${extras}}`);
    this.#hasExtras = rules.hasExtras;
    this.#fixedBytes = this.#fields.reduce(
      (bytes, { next }, slot) => bytes + next.length + mostAdded(parts.specs[slot]!),
      this.#tail.length,
    );
  }

  /** What a record takes at most whose row has so many bytes. */
  mostBytes(rowBytes: number): number {
    return this.#fixedBytes + MOST_ESCAPED * rowBytes;
  }

  /** Writes a record from `at` on; gives the place behind it, or {@link NOT_PLAIN} where the row needs a closer look. */
  write(bytes: Buffer, { starts, ends }: CellPlaces, target: Buffer, at: number): number {
    const fields = this.#fields;
    let to = at;
    let givesValue = false;
    let hasContent = false;
    this.keyStart = at;
    this.keyEnd = at;
    for (let slot = 0; slot < fields.length; slot++) {
      const { field, first, next, write } = fields[slot]!;
      const start = starts[field.index]!;
      const end = ends[field.index]!;
      if (start === end) {
        if (field.isRequired) return NOT_PLAIN;
        continue;
      }
      const from = copy(to === at ? first : next, target, to);
      let behind = write === undefined ? NOT_PLAIN : write(bytes, start, end, target, from);
      if (field.kind === "key") {
        if (behind === NOT_PLAIN) return NOT_PLAIN;
        this.keyStart = from;
        this.keyEnd = behind;
      } else if (behind === NOT_PLAIN) {
        const cell = bytes.toString("utf8", start, end);
        behind = lookCloser(cell, field, target, from);
        if (behind === NOT_PLAIN || (behind === NO_VALUE && field.isRequired)) return NOT_PLAIN;
        if (behind === NO_VALUE) continue;
        givesValue = true;
        hasContent ||= field.kind === "typed" || !isBlank(cell);
      } else {
        givesValue = true;
        hasContent ||= field.kind === "typed" || isFilled(bytes[start]!);
      }
      to = behind;
    }
    const isGiving = this.keyStart === this.keyEnd ? hasContent : givesValue || this.#hasExtras;
    return isGiving ? copy(this.#tail, target, to) : NOT_PLAIN;
  }
}

/** Writes what the reader of the field gives; {@link NO_VALUE} where the cell is blank, {@link NOT_PLAIN} where it is invalid. */
function lookCloser(cell: string, field: ExaminedField, target: Buffer, at: number): number {
  if (isEmpty(cell, field)) return NO_VALUE;
  const taken = field.take(cell, 0);
  return typeof taken === "string" ? at + target.write(jsonStringBody(taken), at) : NOT_PLAIN;
}

/** True for a character that is no space, for certain. */
function isFilled(code: number): boolean {
  return code > SPACE && code < FIRST_BEYOND_ASCII;
}

function copy(piece: Buffer, target: Buffer, at: number): number {
  for (let from = 0; from < piece.length; from++) target[at + from] = piece[from]!;
  return at + piece.length;
}
