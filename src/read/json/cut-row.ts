import type { JsonWindow } from "./json-window.ts";

/** More bytes of a row are not read twice. */
const MOST_BYTES = 16_384;

/** Knows the row at the end of the bytes, which takes longer to read in two parts. */
export class CutRow {
  readonly #mostBytes: number;
  /** Where it begins. */
  #start = -1;

  constructor(maxRowBytes: number) {
    this.#mostBytes = Math.min(MOST_BYTES, maxRowBytes);
  }

  /** True if a row that begins at `at` may be cut off there; not for the same row again. */
  mayBe({ bytes, base, ended }: JsonWindow, at: number): boolean {
    if (ended || bytes.length - at > this.#mostBytes || base + at === this.#start) return false;
    this.#start = base + at;
    return true;
  }
}
