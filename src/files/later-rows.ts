import { fieldsOf } from "../model/settlement.ts";
import type { EndedRow } from "./row-ends.ts";

/** So many rejects of a command are compared with later rows; a parameter for tests only. */
const MOST_REJECTS = 131_072;

/** A later accepted row: its input and its line, and whether it and others give all fields of the row, or only some. */
interface LaterRow {
  readonly input: number;
  readonly line: number;
  readonly isWhole: boolean;
}

/** A reject, and its fields that no later row has given so far. */
interface WaitingReject {
  readonly input: number;
  readonly start: number;
  readonly missing: Set<string>;
}

/**
 * Finds the rejects that are overtaken: later rows with their key were accepted, in the same input or a later one, and
 * give all their fields, or some. Rows are to be added in their order. Of rejects after the most that are held, nothing is
 * known: a person has to say whether their mended rows may be sent.
 */
export class LaterRows {
  readonly #onFound: (input: number) => void;
  readonly #mostRejects: number;
  readonly #waiting = new Map<string, WaitingReject[]>();
  /** By input and start of the reject. */
  readonly #found = new Map<string, LaterRow>();
  #rejects = 0;
  /** The first reject of which nothing is known. */
  #firstUnknown: Pick<WaitingReject, "input" | "start"> | undefined;

  /** `onFound` is called with the input of a reject for which a later row was found. */
  constructor(onFound: (input: number) => void, mostRejects = MOST_REJECTS) {
    this.#onFound = onFound;
    this.#mostRejects = mostRejects;
  }

  /** False if no accepted row can overtake a reject that was added so far. */
  get awaitsRows(): boolean {
    return this.#waiting.size > 0;
  }

  /** Adds a row that is accepted, or a reject. */
  addRow(
    input: number,
    { line, start, rejected, record, how }: Pick<EndedRow, "line" | "start" | "rejected" | "record" | "how">,
  ): void {
    const key = (record ?? rejected)?.key;
    if (key === undefined) return;
    const rejects = this.#waiting.get(key) ?? [];
    if (how.outcome !== "accepted") {
      const fields = record === undefined ? (rejected?.fields ?? []) : fieldsOf(record);
      if (this.#rejects++ < this.#mostRejects) {
        rejects.push({ input, start, missing: new Set(fields) });
        this.#waiting.set(key, rejects);
      } else this.#firstUnknown ??= { input, start };
    } else if (record !== undefined && rejects.length > 0) {
      const fields = fieldsOf(record);
      const left = rejects.filter((reject) => !this.#overtakes({ input, line }, fields, reject));
      if (left.length === 0) this.#waiting.delete(key);
      else this.#waiting.set(key, left);
    }
  }

  /** The row that overtakes a reject, or gives some of its fields. */
  of(input: number, start: number): LaterRow | "unknown" | undefined {
    const { input: from = Infinity, start: first = 0 } = this.#firstUnknown ?? {};
    const isUnknown = input > from || (input === from && start >= first);
    return isUnknown ? "unknown" : this.#found.get(`${input}:${start}`);
  }

  /** True if no field of the reject is missing any more. */
  #overtakes(
    row: Omit<LaterRow, "isWhole">,
    fields: readonly string[],
    { input, start, missing }: WaitingReject,
  ): boolean {
    const before = missing.size;
    for (const field of fields) missing.delete(field);
    const isWhole = missing.size === 0;
    const place = `${input}:${start}`;
    if (isWhole || (missing.size < before && !this.#found.has(place))) {
      this.#found.set(place, { ...row, isWhole });
      this.#onFound(input);
    }
    return isWhole;
  }
}
