/** The content of one file from anywhere: a stream of Node, a web stream, a download. */
export interface BytesInput {
  readonly bytes: string | Uint8Array | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;
  /** For messages only. */
  readonly name?: string | undefined;
}

/**
 * Rows as objects, each member a column. Texts, numbers, bigints, booleans, null and dates are taken; a member that is
 * undefined is absent.
 */
export interface RowsInput {
  readonly rows: AsyncIterable<object> | Iterable<object>;
  /** For messages only. */
  readonly name?: string | undefined;
}

/** Paths of files, or one input that is given as a stream; `[]` for the files of the plan of a shard. */
export type Input = string | URL | readonly (string | URL)[] | BytesInput | RowsInput;
