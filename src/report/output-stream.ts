import type { Writable } from "node:stream";

/** A stream a person or another program reads; a terminal says so. */
export type OutputStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};
