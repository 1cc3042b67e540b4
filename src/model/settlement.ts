/** The outcome of consecutive records of one kind, and the service's answer. */
export interface Settlement {
  readonly kind: RecordKind;
  /** Ranges of numbers among the input's updates, or among its creates, both ends included. */
  readonly ordinals: readonly (readonly [first: number, last: number])[];
  readonly batch: number;
  readonly outcome: "accepted" | "refused" | "failed" | "inDoubt";
  /** HTTP status of the last answer; `undefined` if none came. */
  readonly status: number | undefined;
  /** The service's `msg`, or a description of the failure; one line, control characters escaped, trimmed. */
  readonly msg: string;
  /** Requests made for these records. */
  readonly attempts: number;
}

/**
 * The records of a chunk, numbered from 0. They are numbers in memory: an object for each would be half of what a push
 * allocates while it sends. The facts of {@link PreparedRecord} can be asked for by number.
 */
export interface ChunkRecords {
  readonly length: number;
  /** Records that follow each other here do so in the text, with a comma between them. */
  readonly text: Buffer;
  line(index: number): number;
  rowStart(index: number): number;
  rowEnd(index: number): number;
  key(index: number): string | undefined;
  kind(index: number): RecordKind;
  ordinal(index: number): number;
  setOrdinal(index: number, ordinal: number): void;
  start(index: number): number;
  bytes(index: number): number;
}

/** Records of a chunk that follow each other: from `from` up to, not including, `to`. */
export interface RecordStretch {
  readonly of: ChunkRecords;
  readonly from: number;
  readonly to: number;
}

/** Records in file order, of one chunk or of several. */
export class RecordList implements Iterable<PreparedRecord> {
  readonly #stretches: { readonly of: ChunkRecords; readonly from: number; to: number }[] = [];
  #length = 0;

  /** All records of a chunk. */
  static of(records: ChunkRecords): RecordList {
    const list = new RecordList();
    list.#addStretch(records, 0, records.length);
    return list;
  }

  get length(): number {
    return this.#length;
  }

  /** None is empty. The quickest way through the records: no object is made of them. */
  get stretches(): readonly RecordStretch[] {
    return this.#stretches;
  }

  /** Adds the record of this number of a chunk; it must come after those added before. */
  add(of: ChunkRecords, index: number): void {
    const last = this.#stretches[this.#stretches.length - 1];
    if (last !== undefined && last.of === of && last.to === index) last.to = index + 1;
    else this.#stretches.push({ of, from: index, to: index + 1 });
    this.#length += 1;
  }

  /** The record at a place of this list, counted from 0 or, if negative, from the end. */
  at(place: number): PreparedRecord | undefined {
    let left = place < 0 ? this.#length + place : place;
    if (left < 0) return undefined;
    for (const { of, from, to } of this.#stretches) {
      if (left < to - from) return recordAt(of, from + left);
      left -= to - from;
    }
    return undefined;
  }

  /** The records from one place of this list up to another. */
  slice(from: number, to: number = this.#length): RecordList {
    const list = new RecordList();
    let place = 0;
    for (const stretch of this.#stretches) {
      const first = stretch.from + Math.max(0, from - place);
      const end = Math.min(stretch.to, stretch.from + to - place);
      if (first < end) list.#addStretch(stretch.of, first, end);
      place += stretch.to - stretch.from;
    }
    return list;
  }

  filter(isWanted: (record: PreparedRecord) => boolean): RecordList {
    const list = new RecordList();
    for (const { of, from, to } of this.#stretches) {
      for (let index = from; index < to; index++) if (isWanted(recordAt(of, index))) list.add(of, index);
    }
    return list;
  }

  map<Made>(make: (record: PreparedRecord) => Made): Made[] {
    const made: Made[] = [];
    for (const { of, from, to } of this.#stretches) {
      for (let index = from; index < to; index++) made.push(make(recordAt(of, index)));
    }
    return made;
  }

  *[Symbol.iterator](): Generator<PreparedRecord, void, void> {
    for (const { of, from, to } of this.#stretches) {
      for (let index = from; index < to; index++) yield recordAt(of, index);
    }
  }

  #addStretch(of: ChunkRecords, from: number, to: number): void {
    if (from === to) return;
    this.#stretches.push({ of, from, to });
    this.#length += to - from;
  }
}

/** The records of one request, all of one kind, in file order. */
export interface Batch {
  /** Counted from 1 in the order in which they are made, per run. */
  readonly number: number;
  readonly kind: RecordKind;
  readonly records: RecordList;
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
  readonly text: Buffer;
  /** Where in `text` the record begins, and how long it is there. */
  readonly start: number;
  readonly bytes: number;
}

/** One record of a chunk. */
export function recordAt(of: ChunkRecords, index: number): PreparedRecord {
  return {
    line: of.line(index),
    rowStart: of.rowStart(index),
    rowEnd: of.rowEnd(index),
    get key() {
      return of.key(index);
    },
    kind: of.kind(index),
    ordinal: of.ordinal(index),
    text: of.text,
    start: of.start(index),
    bytes: of.bytes(index),
  };
}

/** A single record as JSON text. */
export function recordJson({ text, start, bytes }: PreparedRecord): string {
  return text.toString("utf8", start, start + bytes);
}

/** The fields that a record gives, without the key. */
export function fieldsOf(record: PreparedRecord): readonly string[] {
  return Object.keys(JSON.parse(recordJson(record)) as object).filter((field) => field !== "cle");
}

/** update: a record with a key; create: one without. */
export type RecordKind = "update" | "create";
