import { isAscii } from "node:buffer";
import type { InputPlace } from "../../model/failure.ts";
import { CellMemory } from "../cell-memory.ts";
import { JsonCells } from "./json-cells.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function countCharacters(bytes: Buffer): number {
  if (isAscii(bytes)) return bytes.length;
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if ((bytes[i]! & 0xc0) !== 0x80) count++;
  return count;
}

/**
 * The part of the input that is being scanned. Of earlier chunks only the bytes that {@link slide} keeps remain. It
 * counts the lines (LF, CRLF or CR) and characters that have passed.
 */
export class JsonWindow {
  readonly file: string;
  bytes: Buffer = Buffer.alloc(0);
  /** Number of bytes of the input before `bytes[0]`. */
  base = 0;
  line = 1;
  /** True if nothing follows `bytes`. */
  ended = false;
  /** Index of the first byte of the line, as far as it is still in the window. */
  private lineStart = 0;
  /** Characters of the line that are no longer in the window. */
  private charactersBefore = 0;
  private byteBefore = 0;
  private memory = new CellMemory();
  private found: JsonCells | undefined;

  constructor(file: string) {
    this.file = file;
  }

  /** The values of the records in the bytes, as far as they are found. */
  get cells(): JsonCells {
    return (this.found ??= new JsonCells(this.bytes, this.memory));
  }

  /** Drops the bytes before the index `keepFrom` and appends a copy of `chunk` to the rest. */
  slide(keepFrom: number, chunk: Buffer): void {
    if (this.lineStart < keepFrom) {
      this.charactersBefore += countCharacters(this.bytes.subarray(this.lineStart, keepFrom));
      this.lineStart = 0;
    } else {
      this.lineStart -= keepFrom;
    }
    if (keepFrom > 0) this.byteBefore = this.bytes[keepFrom - 1]!;
    this.base += keepFrom;
    const kept = this.bytes.length - keepFrom;
    const memory = CellMemory.take(kept + chunk.length);
    this.bytes.copy(memory.bytes, 0, keepFrom);
    chunk.copy(memory.bytes, kept);
    this.memory.release();
    this.memory = memory;
    this.bytes = memory.bytes.subarray(0, kept + chunk.length);
    this.found = undefined;
  }

  /** Counts the CR or LF at index `i`; to be called once for each, in order. */
  breakLine(i: number): void {
    const before = i > 0 ? this.bytes[i - 1] : this.byteBefore;
    if (this.bytes[i] === CARRIAGE_RETURN || before !== CARRIAGE_RETURN) this.line++;
    this.lineStart = i + 1;
    this.charactersBefore = 0;
  }

  /** Counts several line feeds at once, none of which follows a carriage return; `last`: the index of the last one. */
  breakLines(count: number, last: number): void {
    if (count === 0) return;
    this.line += count;
    this.lineStart = last + 1;
    this.charactersBefore = 0;
  }

  /** The current line. */
  get linePlace(): { readonly file: string; readonly line: number } {
    return { file: this.file, line: this.line };
  }

  /** The place of the byte at index `i`, which is on the current line. */
  placeOf(i: number): Required<InputPlace> {
    const column = this.charactersBefore + countCharacters(this.bytes.subarray(this.lineStart, i)) + 1;
    return { file: this.file, line: this.line, column };
  }
}

/** True for the bytes that end a line. */
export function isLineEnd(byte: number): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}
