import type { JsonScanner } from "./json-scan.ts";

/** Where a value of a record is; offsets are those of bytes from the record's `{` on. */
export interface PlacedValue {
  readonly column: number;
  readonly start: number;
  /** The byte after it. */
  readonly end: number;
  /** True if an object in its place is one value, and not members of the record. */
  readonly isWhole: boolean;
}

/** Collects where the values of one record after another are, in the order of the file. */
export class RowLayout {
  values: PlacedValue[] = [];
  readonly #scanner: JsonScanner;
  #origin = 0;
  #start = 0;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  /** A record begins, at the `{` that the scanner is at. */
  begin(): void {
    this.values = [];
    this.#origin = this.#scanner.offset;
  }

  /** An object or array begins, which may be a value. */
  open(): void {
    this.#start = this.#scanner.window.base + this.#scanner.valueAt - this.#origin;
  }

  /** What was opened ends, and is the value of a column. */
  close(column: number, isWhole: boolean): void {
    this.values.push({ column, start: this.#start, end: this.#scanner.offset - this.#origin, isWhole });
  }

  /** The scalar that the scanner reports is the value of a column. */
  add(column: number, isWhole: boolean): void {
    this.open();
    this.close(column, isWhole);
  }
}
