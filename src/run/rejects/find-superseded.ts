import { hash } from "../repeated-keys.ts";
import { reviewOutcomes, type JudgedRow, type Review } from "./review-rejects.ts";
import { RowMarks } from "./row-marks.ts";

/** Keys of rejects that are held at once; a parameter for tests only. */
const MOST_KEYS = 262_144;

/** The rejects of one input, and those whose key had a later accepted row, here or in a later input. */
export interface RejectsFound {
  rejects: number;
  superseded: number;
  /** By number among the rejects of the input, from 0. */
  readonly marks: RowMarks;
}

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
  const found = review.inputs.map((): RejectsFound => ({ rejects: 0, superseded: 0, marks: new RowMarks() }));
  const shares = Math.max(1, Math.ceil(expected.reduce((sum, rows) => sum + rows, 0) / mostKeys));
  for (let share = 0; share < shares; share++) {
    const open = new Map<string, Place[]>();
    const isMine = (key: string): boolean => shares === 1 || hash(key, 0) % shares === share;
    for (const input of inputs) {
      const about = found[input]!;
      if (expected[input] === 0 && open.size === 0) continue;
      about.rejects = 0;
      for await (const rows of reviewOutcomes(review, input)) takeRows(rows, about, open, isMine);
    }
  }
  return found;
}

interface Place {
  readonly about: RejectsFound;
  readonly reject: number;
}

function takeRows(
  rows: readonly JudgedRow[],
  about: RejectsFound,
  open: Map<string, Place[]>,
  isMine: (key: string) => boolean,
): void {
  for (const { row, told, rejection } of rows) {
    const { key } = row;
    const reject = rejection === undefined ? -1 : about.rejects++;
    if (key === undefined || (reject === -1 && open.size === 0)) continue;
    const places = open.get(key);
    if (reject === -1) {
      if (places === undefined || told?.outcome !== "accepted") continue;
      for (const place of places) {
        place.about.marks.add(place.reject);
        place.about.superseded++;
      }
      open.delete(key);
    } else if (places !== undefined) places.push({ about, reject });
    else if (isMine(key)) open.set(key, [{ about, reject }]);
  }
}
