import { fieldsOf } from "../model/settlement.ts";
import type { EndedRow } from "./row-ends.ts";

/** So many rejects of an input are compared with later rows; a parameter for tests only. */
const MOST_REJECTS = 131_072;

/** The line of a later accepted row, and whether it and others give all fields of the reject, or only some. */
interface LaterRow {
  readonly line: number;
  readonly isWhole: boolean;
}

/** A reject, and its fields that no later row has given so far. */
interface WaitingReject {
  readonly start: number;
  readonly missing: Set<string>;
}

/**
 * Finds the rejects of an input that are overtaken: later rows with their key were accepted, and give all their fields, or some. Rows
 * are to be added in their order. Of rejects after the most that are held, nothing is known: a person has to say whether their mended
 * rows may be sent. Rows of other inputs are compared by the keys that their runs note, once the mended rows are pushed.
 */
export class LaterRows {
  readonly #mostRejects: number;
  readonly #waiting = new Map<string, WaitingReject[]>();
  /** By start of the reject. */
  readonly #found = new Map<number, LaterRow>();
  #rejects = 0;
  /** Where the first reject begins of which nothing is known. */
  #firstUnknown = Infinity;

  constructor(mostRejects = MOST_REJECTS) {
    this.#mostRejects = mostRejects;
  }

  /** Adds a row that is accepted, or a reject. */
  addRow({
    line,
    start,
    rejected,
    record,
    how,
  }: Pick<EndedRow, "line" | "start" | "rejected" | "record" | "how">): void {
    const key = (record ?? rejected)?.key;
    if (key === undefined) return;
    const rejects = this.#waiting.get(key) ?? [];
    if (how.outcome !== "accepted") {
      const fields = record === undefined ? (rejected?.fields ?? []) : fieldsOf(record);
      if (this.#rejects++ < this.#mostRejects) {
        rejects.push({ start, missing: new Set(fields) });
        this.#waiting.set(key, rejects);
      } else this.#firstUnknown = Math.min(this.#firstUnknown, start);
    } else if (record !== undefined && rejects.length > 0) {
      const fields = fieldsOf(record);
      const left = rejects.filter((reject) => !this.#overtakes(line, fields, reject));
      if (left.length === 0) this.#waiting.delete(key);
      else this.#waiting.set(key, left);
    }
  }

  /** The row that overtakes the reject that begins there, or gives some of its fields. */
  of(start: number): LaterRow | "unknown" | undefined {
    return start >= this.#firstUnknown ? "unknown" : this.#found.get(start);
  }

  /** True if no field of the reject is missing any more. */
  #overtakes(line: number, fields: readonly string[], { start, missing }: WaitingReject): boolean {
    const before = missing.size;
    for (const field of fields) missing.delete(field);
    const isWhole = missing.size === 0;
    if (isWhole || (missing.size < before && !this.#found.has(start)))
      this.#found.set(start, { line, isWhole });
    return isWhole;
  }
}
