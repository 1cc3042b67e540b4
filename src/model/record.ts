/** Bytes that are in memory (a {@link Buffer}), or that can be read when they are needed. */
export interface RecordText {
  /** Copies the bytes from `start` to `end` to `target`, beginning at `at`; returns their number. */
  copy(target: Buffer, at: number, start: number, end: number): number;
  /** Announces that pieces between `start` and `end` are copied next, so that they can be read at once. */
  readAhead?(start: number, end: number): void;
}

/** A record ready to be sent. */
export interface PreparedRecord {
  /** The first physical line of its row. */
  readonly line: number;
  /** The byte of the decoded content at which the row's text begins, and the one after its end. */
  readonly rowStart: number;
  readonly rowEnd: number;
  /** The value of `cle`; `undefined` for a create. Made anew each time that it is read. */
  readonly key: string | undefined;
  readonly kind: RecordKind;
  /**
   * Its number among the input's updates or, without a key, among its creates, counted from 0; assigned when records
   * are selected.
   */
  readonly ordinal: number;
  /**
   * JSON text in UTF-8 that contains the record exactly as it goes into the body: a flat object of strings. The
   * records of a chunk share it, separated by single commas.
   */
  readonly text: RecordText;
  /** Where in `text` the record begins, and how long it is. */
  readonly start: number;
  readonly bytes: number;
}

/** A single record as JSON text. */
export function recordJson({ text, start, bytes }: PreparedRecord): string {
  const json = Buffer.allocUnsafe(bytes);
  text.copy(json, 0, start, start + bytes);
  return json.toString();
}

/** update: a record with a key; create: one without. */
export type RecordKind = "update" | "create";
