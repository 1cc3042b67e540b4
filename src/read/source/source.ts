import type { Notice, Pin } from "../../model/reading.ts";

/** Which sheet of a workbook is read, and how long its rows may be. */
export interface SheetWanted {
  readonly sheet?: string | undefined;
  readonly maxRowBytes: number;
}

/** The sheet that was read. */
export interface SheetRead {
  readonly name: string;
  /** The cells of its widest row. */
  readonly width: number;
  /** Where it was not named: the others that hold tables and are not hidden. */
  readonly others: readonly string[];
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/** An open input; the function that opened it closes it. */
export interface Source {
  /** The path as given, or `<stdin>`. */
  readonly name: string;
  /** Size as stored, which is the compressed size if the input is compressed. */
  readonly bytes: number;
  /** True if the size of its content is only known after it was read once. */
  readonly isPacked?: boolean;
  /**
   * Of a workbook: reads one of its sheets, the first time it is called, into what {@link Source.open} then gives.
   * Throws input errors.
   */
  readonly readSheet?: (wanted: SheetWanted) => Promise<SheetRead>;
  /** The open file, for another thread of this process; valid until {@link Source.close}. */
  readonly fd?: number | undefined;
  /**
   * The uncompressed bytes from the beginning; may be called several times, even at the same time. A chunk is only
   * lent: a caller that needs its bytes after asking for the next one has to copy them.
   */
  open(): AsyncIterable<Buffer>;
  /**
   * For an input that can be read only once: keeps its spooled copy at this path, so that a later process can read it.
   */
  readonly keep?: (path: string) => Promise<void>;
  /** Ends reading and, for an input that can be read only once, deletes the spooled copy unless it is kept. */
  close(): Promise<void>;
}

/** An open file that holds an input, with the functions of {@link Source} that keep and close it. */
export interface StoredFile extends Pick<Source, "name" | "bytes" | "keep"> {
  readonly fd: number;
  readonly close?: Source["close"];
}
