import type { JsonScanner } from "./json-scan.ts";

/** Where the values of one record are; offsets are those of bytes in the input. */
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
  #start = 0;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  begin(): void {
    this.values = [];
  }

  /** An object or array begins, which may be a value. */
  open(): void {
    this.#start = this.#scanner.window.base + this.#scanner.valueAt;
  }

  /** What was opened ends, and is the value of a column. */
  close(column: number, isWhole: boolean): void {
    this.values.push({ column, start: this.#start, end: this.#scanner.offset, isWhole });
  }

  /** The scalar that the scanner reports is the value of a column. */
  add(column: number, isWhole: boolean): void {
    this.open();
    this.close(column, isWhole);
  }
}
