import type { RecordKind } from "../model/settlement.ts";
import { writeKeys } from "../store/key-text.ts";

const ZERO = 0x30;
const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;

/** A row as the results name it. */
export interface NamedRow {
  readonly line: number;
  readonly key: string | undefined;
  /** The values of the identity's fields, in order; absent if there is no identity or the values cannot be read. */
  readonly identity?: readonly (string | null)[];
}

/** A row that was never a record to send, and the reason. */
export type LeftRow = NamedRow & { readonly outcome: "rejected" | "skipped"; readonly msg: string };

/** A row, before it is brought together with others. */
export type LoggedRow = LeftRow | (NamedRow & { readonly ordinal: number });

/** Records of one kind that follow each other in the file, without a row between, and in the order of sending. */
export interface LoggedRecords {
  readonly kind: RecordKind;
  readonly count: number;
  readonly firstOrdinal: number;
  readonly firstLine: number;
  /** From one record's line to the next one's: 0 if the file has no line feeds. */
  readonly linesApart: number;
  /** By record; `undefined` for creates. */
  readonly keys: readonly string[] | undefined;
  /** By record; `undefined` if there is no identity. */
  readonly identities: readonly (readonly (string | null)[])[] | undefined;
}

/**
 * A stretch of records with identities, or with keys that cannot stand between tabs, as a line of JSON. Of others the keys
 * follow the three numbers, as {@link writeKeys} writes them, or the number of creates: {@link readPlain}.
 */
type WrittenRecords = readonly [
  firstLine: number,
  linesApart: number,
  firstOrdinal: number,
  keysOrCount: readonly string[] | number,
  identities: readonly (readonly (string | null)[])[] | null,
];

/** Brings the rows of a chunk together to stretches of records, each of which is written as one line. */
export class Stretch {
  readonly #write: (text: string) => void;
  #count = 0;
  #firstLine = 0;
  #linesApart = 1;
  #firstOrdinal = 0;
  #keys: string[] = [];
  #identities: (readonly (string | null)[])[] = [];

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(row: LoggedRow): void {
    if (!("ordinal" in row)) {
      this.end();
      this.#write(JSON.stringify(row));
      return;
    }
    this.addRecord(row.line, row.ordinal, row.key, row.identity);
  }

  addRecord(
    line: number,
    ordinal: number,
    key: string | undefined,
    identity: readonly (string | null)[] | undefined,
  ): void {
    if (this.#count === 1) this.#linesApart = line - this.#firstLine;
    if (!this.#goesOnWith(line, ordinal, key === undefined)) {
      this.end();
      this.#firstLine = line;
      this.#firstOrdinal = ordinal;
    }
    this.#count += 1;
    if (key !== undefined) this.#keys.push(key);
    if (identity !== undefined) this.#identities.push(identity);
  }

  /** Writes what there is. */
  end(): void {
    if (this.#count > 0) this.#write(this.#text());
    this.#count = 0;
    this.#keys = [];
    this.#identities = [];
  }

  #text(): string {
    const place = [this.#firstLine, this.#linesApart, this.#firstOrdinal] as const;
    const isUpdate = this.#keys.length > 0;
    const hasIdentities = this.#identities.length > 0;
    if (!hasIdentities) {
      const rest = isUpdate ? writeKeys(this.#keys) : String(this.#count);
      if (!rest.startsWith("[")) return `${place.join(" ")} ${rest}`;
    }
    const written: WrittenRecords = [
      ...place,
      isUpdate ? this.#keys : this.#count,
      hasIdentities ? this.#identities : null,
    ];
    return JSON.stringify(written);
  }

  #goesOnWith(line: number, ordinal: number, isCreate: boolean): boolean {
    return (
      this.#count > 0 &&
      (this.#keys.length === 0) === isCreate &&
      line === this.#firstLine + this.#count * this.#linesApart &&
      ordinal === this.#firstOrdinal + this.#count
    );
  }
}

/** What a line holds that a {@link Stretch} wrote as JSON. */
export function readRows(text: string): LoggedRecords | LeftRow {
  const read = JSON.parse(text) as LeftRow | WrittenRecords;
  if (!Array.isArray(read)) return read as LeftRow;
  const [firstLine, linesApart, firstOrdinal, keys, identities] = read as WrittenRecords;
  const place = { firstLine, linesApart, firstOrdinal, identities: identities ?? undefined };
  return typeof keys === "number"
    ? { kind: "create", count: keys, keys: undefined, ...place }
    : { kind: "update", count: keys.length, keys, ...place };
}

/** A line of records without identities whose keys, if they have some, are between tabs. */
export interface PlainStretch {
  readonly firstLine: number;
  readonly linesApart: number;
  readonly firstOrdinal: number;
  /** The number of creates; 0 for updates. */
  readonly creates: number;
  /** The index of the tab before the first key. */
  readonly at: number;
}

/** Reads the line at `at` as such; `undefined` for any other line. */
export function readPlain(bytes: Buffer, at: number): PlainStretch | undefined {
  const numbers = [0, 0, 0, 0];
  let next = at;
  for (let index = 0; index < numbers.length; index++) {
    const from = next;
    for (let digit = bytes[next]! - ZERO; digit >= 0 && digit <= 9; digit = bytes[++next]! - ZERO)
      numbers[index] = 10 * numbers[index]! + digit;
    if (index === numbers.length - 1) break;
    if (next === from || bytes[next] !== SPACE) return undefined;
    next += 1;
  }
  const [firstLine, linesApart, firstOrdinal, creates] = numbers as [number, number, number, number];
  const isPlain = bytes[next] === (creates > 0 ? LINE_FEED : TAB);
  return isPlain ? { firstLine, linesApart, firstOrdinal, creates, at: next } : undefined;
}
