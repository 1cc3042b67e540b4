import { hash } from "../survey/repeated-keys.ts";
import { reviewOutcomes, type JudgedRow, type Review } from "./review-rejects.ts";
import { RowMarks } from "./row-marks.ts";

/** Keys of rejects that are held at once; a parameter for tests only. */
const MOST_KEYS = 131_072;

/** The rejects of one input, and those whose key had a later accepted row, here or in a later input. */
export interface RejectsFound {
  rejects: number;
  superseded: number;
  /** Rejects of the inputs before. */
  before: number;
  /** By number among the rejects of all inputs, from 0. */
  readonly marks: RowMarks;
}

/** Rejects that are waiting for a later accepted row, by key: a number alone, because there may be many keys. */
type Waiting = Map<string, number | number[]>;

/**
 * Finds the rejects that a later accepted row has superseded, exactly and in bounded memory: where they are too many to
 * hold their keys, the inputs are read once for each share of the keys. `expected`: how many rejects each input has at
 * most; `inputs` are those to be looked at, in order.
 */
export async function findSuperseded(
  review: Review,
  expected: readonly number[],
  inputs: readonly number[],
  mostKeys = MOST_KEYS,
): Promise<readonly RejectsFound[]> {
  const marks = new RowMarks();
  const found = review.inputs.map((): RejectsFound => ({ rejects: 0, superseded: 0, before: 0, marks }));
  const shares = Math.max(1, Math.ceil(expected.reduce((sum, rows) => sum + rows, 0) / mostKeys));
  for (let share = 0; share < shares; share++) {
    const waiting: Waiting = new Map();
    const isMine = (key: string): boolean => shares === 1 || hash(key, 0) % shares === share;
    let before = 0;
    for (const input of inputs) {
      const about = found[input]!;
      about.rejects = 0;
      about.before = before;
      if (expected[input] === 0 && waiting.size === 0) continue;
      for await (const rows of reviewOutcomes(review, input)) {
        for (const reject of takeRows(rows, about, waiting, isMine)) {
          marks.add(reject);
          found.findLast((other) => other.rejects > 0 && other.before <= reject)!.superseded++;
        }
      }
      before += about.rejects;
    }
  }
  return found;
}

/** Gives the rejects that these rows have superseded. */
function takeRows(
  rows: readonly JudgedRow[],
  about: RejectsFound,
  waiting: Waiting,
  isMine: (key: string) => boolean,
): number[] {
  const superseded: number[] = [];
  for (const { row, told, rejection } of rows) {
    const { key } = row;
    const reject = rejection === undefined ? -1 : about.before + about.rejects++;
    if (key === undefined || (reject === -1 && waiting.size === 0)) continue;
    const earlier = waiting.get(key);
    if (reject === -1) {
      if (earlier === undefined || told?.outcome !== "accepted") continue;
      for (const one of typeof earlier === "number" ? [earlier] : earlier) superseded.push(one);
      waiting.delete(key);
    } else if (typeof earlier === "number") waiting.set(key, [earlier, reject]);
    else if (earlier !== undefined) earlier.push(reject);
    else if (isMine(key)) waiting.set(key, reject);
  }
  return superseded;
}
