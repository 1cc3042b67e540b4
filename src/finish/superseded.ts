import { partitionOf } from "../state/partition-of.ts";
import { Spill } from "../state/spill.ts";

/** Keys of rejects that are held in memory at once; a parameter for tests only. */
const MOST_KEYS = 131_072;
const PARTITIONS = 256;

/** A row among the inputs of a command. */
export interface RowPlace {
  /** Which input, counted from 0. */
  readonly input: number;
  /** The byte of its content at which the row begins. */
  readonly start: number;
}

/** An accepted row. */
export interface AcceptedPlace extends RowPlace {
  readonly line: number;
}

/** A later accepted row with the key of a reject: its input and its line. */
export type LaterRow = Pick<AcceptedPlace, "input" | "line">;

/**
 * Finds the rejects whose key has a later accepted row, in the same input or a later one, exactly and in bounded
 * memory: if there are too many keys to hold, these and all accepted keys are distributed over files.
 */
export class Superseded {
  readonly #spill: Spill;
  readonly #mostKeys: number;
  readonly #onFound: (reject: RowPlace, later: LaterRow) => void;
  /** For each key, the rejects that no later row has superseded so far. */
  readonly #waiting = new Map<string, RowPlace[]>();
  #isSpilling = false;

  constructor(directory: string, onFound: (reject: RowPlace, later: LaterRow) => void, mostKeys = MOST_KEYS) {
    this.#spill = new Spill(directory);
    this.#onFound = onFound;
    this.#mostKeys = mostKeys;
  }

  addReject(key: string, place: RowPlace): void {
    if (this.#isSpilling) {
      this.#write(key, place);
      return;
    }
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, [place]);
    else waiting.push(place);
    if (this.#waiting.size > this.#mostKeys) this.#spillWaiting();
  }

  /** False if no accepted row can supersede a reject that was added so far. */
  get needsAccepted(): boolean {
    return this.#isSpilling || this.#waiting.size > 0;
  }

  addAccepted(key: string, place: AcceptedPlace): void {
    if (this.#isSpilling) {
      this.#write(key, place, place.line);
      return;
    }
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    const left = waiting.filter((reject) => !isBefore(reject, place));
    for (const reject of waiting) if (isBefore(reject, place)) this.#onFound(reject, place);
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
  }

  /** To be awaited between chunks. */
  settle(): Promise<void> {
    return this.#spill.settle();
  }

  /** Reports those whose keys are in files; calling this again may report one again. */
  async findSpilled(): Promise<void> {
    for (const partition of this.#spill.numbers) {
      const latest = new Map<string, AcceptedPlace>();
      for await (const { key, place, line } of this.#entries(partition)) {
        if (line === undefined) continue;
        const other = latest.get(key);
        if (other === undefined || isBefore(other, place)) latest.set(key, { ...place, line });
      }
      for await (const { key, place, line } of this.#entries(partition)) {
        const accepted = latest.get(key);
        if (line === undefined && accepted !== undefined && isBefore(place, accepted))
          this.#onFound(place, accepted);
      }
    }
  }

  remove(): Promise<void> {
    return this.#spill.remove();
  }

  #spillWaiting(): void {
    this.#isSpilling = true;
    for (const [key, rejects] of this.#waiting) {
      for (const place of rejects) this.#write(key, place);
    }
    this.#waiting.clear();
  }

  // A key may hold a line feed or a lone surrogate, which a text file would not preserve.
  #write(key: string, { input, start }: RowPlace, line?: number): void {
    this.#spill.add(partitionOf(key, PARTITIONS), JSON.stringify([key, input, start, line]));
  }

  async *#entries(partition: number): AsyncGenerator<Entry> {
    for await (const lines of this.#spill.read(partition)) {
      for (const line of lines) {
        const [key, input, start, of] = JSON.parse(line) as [string, number, number, number | null];
        yield { key, place: { input, start }, line: of ?? undefined };
      }
    }
  }
}

interface Entry {
  readonly key: string;
  readonly place: RowPlace;
  /** Only for an accepted row. */
  readonly line: number | undefined;
}

function isBefore(row: RowPlace, other: RowPlace): boolean {
  return row.input === other.input ? row.start < other.start : row.input < other.input;
}
