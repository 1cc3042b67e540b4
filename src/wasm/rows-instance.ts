import { ROWS_CODE } from "./rows-code.ts";

/** A variable of a module, or its memory. */
interface Global {
  readonly value: number;
}

/** The part of the standard WebAssembly that is used here, whose types come with those for browsers only. */
declare const WebAssembly:
  | {
      readonly Module: new (code: Uint8Array) => object;
      readonly Instance: new (module: object) => { readonly exports: object };
    }
  | undefined;

/** What `assembly/` exports; positions are bytes of its memory. */
interface RowsExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly heapBase: Global;
  readonly textAt: Global;
  readonly recordsAt: Global;
  readonly keysAt: Global;
  readonly reason: Global;
  readonly dateCell: Global;
  readonly dateField: Global;
  readonly filledCells: Global;
  readonly leastFilled: Global;
  readonly keyCount: Global;
  readonly areRising: Global;
  readonly lines: Global;
  readonly lastLineEnd: Global;
  setColumns(...numbers: readonly number[]): void;
  surveyRows(from: number, end: number, numbered: number): number;
  setFields(...numbers: readonly number[]): void;
  setRows(bytes: number, starts: number, ends: number, marks: number, rows: number): void;
  setOutput(text: number, textBytes: number, records: number, keys: number, keyBytes: number): void;
  writeRows(from: number, end: number): number;
  setContent(bytes: number, length: number, maxRowBytes: number): void;
  setCells(starts: number, ends: number, marks: number, maxCells: number, rows: number): void;
  setDialect(delimiter: number, quote: number): void;
  scanRows(from: number, maxRows: number): number;
  setShapes(root: number, width: number, areListed: number): void;
  scanRecords(from: number, maxRows: number): number;
  addDate(dates: number, cell: number, value: number, forms: number): void;
}

/** A part of the memory that grows. */
export interface Area {
  at: number;
  bytes: number;
}

/** The kinds of fields, as `assembly/` numbers them. */
export const KINDS = { text: 0, key: 1, digits: 2, date: 3, amount: 4 } as const;

/** Why it does not go through rows to the end: one needs a closer look, holds a date that is not known, has no room. */
export const [DONE, NEW_DATE, NO_ROOM] = [0, 2, 3];

/** The dates of one field: the size of their table, and how many go in, so that few slots are looked at for each. */
export const DATES_BYTES: number = 8192 * 32;
export const MOST_DATES = 4096;

export const INT_BYTES = 4;

const PAGE_BYTES = 65_536;
/** It reads and writes in steps of 16 bytes, so behind each area there are as many that may be touched. */
const STEP = 16;

let compiled: object | undefined;
/** False where Node runs without WebAssembly (`--jitless`), and once there was no room for an instance. */
let isPossible = typeof WebAssembly !== "undefined";

/** An instance of the WebAssembly that handles many rows at once, with its memory. */
export class RowsInstance {
  readonly exports: RowsExports;
  #end: number;
  #bytes: Buffer = Buffer.alloc(0);

  /** Throws a RangeError if the process may not reserve the addresses for its memory, which are many GB (`ulimit -v`). */
  private constructor() {
    compiled ??= new WebAssembly!.Module(Buffer.from(ROWS_CODE, "base64"));
    this.exports = new WebAssembly!.Instance(compiled).exports as unknown as RowsExports;
    this.#end = this.exports.heapBase.value;
  }

  /** A new instance; `undefined` where there can be none. */
  static open(): RowsInstance | undefined {
    if (!isPossible) return undefined;
    try {
      return new RowsInstance();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      isPossible = false;
      return undefined;
    }
  }

  /** An area without room yet. */
  static area(): Area {
    return { at: 0, bytes: 0 };
  }

  /** Its memory; to be asked for again after {@link allocate}. */
  get bytes(): Buffer {
    const { buffer } = this.exports.memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = Buffer.from(buffer);
    return this.#bytes;
  }

  /** The position of an area of this many bytes, which are 0 and stay allocated. Throws a RangeError if there is no memory. */
  allocate(bytes: number): number {
    const at = Math.ceil(this.#end / STEP) * STEP;
    this.#end = at + bytes + STEP;
    const missing = this.#end - this.exports.memory.buffer.byteLength;
    if (missing > 0) this.exports.memory.grow(Math.ceil(missing / PAGE_BYTES));
    return at;
  }

  /** Puts content into an area, after making it large enough; 16 bytes of 0 come behind it. */
  fill(area: Area, content: Uint8Array): void {
    this.reserve(area, content.length);
    this.bytes.set(content, area.at);
    const end = area.at + content.length;
    this.bytes.fill(0, end, end + STEP);
  }

  /** Makes an area large enough; its content is lost. */
  reserve(area: Area, bytes: number): void {
    if (bytes <= area.bytes) return;
    area.bytes = 2 * bytes;
    area.at = this.allocate(area.bytes);
  }

  /** The position of an area with this content. */
  place(content: Uint8Array): number {
    const at = this.allocate(content.length);
    this.bytes.set(content, at);
    return at;
  }
}
