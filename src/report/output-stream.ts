import type { Writable } from "node:stream";

/** A stream that a person or another program reads; a terminal identifies itself as one. */
export type OutputStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};
