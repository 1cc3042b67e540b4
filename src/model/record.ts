/** Bytes that are in memory, a {@link Buffer}, or can be read when they are needed. */
export interface RecordText {
  /** Copies the bytes from `start` up to `end` to `target`, from `at` on; gives their number. */
  copy(target: Buffer, at: number, start: number, end: number): number;
}

/** A record ready to be sent. */
export interface PreparedRecord {
  /** The first physical line of its row. */
  readonly line: number;
  /** Where the row's text begins in the decoded content, in bytes, and the place after it. */
  readonly rowStart: number;
  readonly rowEnd: number;
  /** The value of `cle`; `undefined` makes it a create. */
  readonly key: string | undefined;
  /** Which of the input's updates or, without key, of its creates it is, counted from 0; given when records are selected. */
  ordinal: number;
  /**
   * JSON text in UTF-8 that contains the record exactly as it goes into the body: a flat object of strings. The
   * records of a chunk share it, separated by single commas.
   */
  readonly text: RecordText;
  /** Where in `text` the record begins, and how long it is. */
  readonly start: number;
  readonly bytes: number;
}

/** A record by itself, as JSON text. */
export function recordJson({ text, start, bytes }: PreparedRecord): string {
  const json = Buffer.allocUnsafe(bytes);
  text.copy(json, 0, start, start + bytes);
  return json.toString();
}

/** update: a record with a key; create: one without. */
export type RecordKind = "update" | "create";

/** The kind of a record. */
export function kindOf({ key }: Pick<PreparedRecord, "key">): RecordKind {
  return key === undefined ? "create" : "update";
}

/** The records of one request, all of one kind, in file order. */
export interface Batch {
  /** Counted from 1 in the order of making, per run. */
  readonly number: number;
  readonly kind: RecordKind;
  readonly records: readonly PreparedRecord[];
}
