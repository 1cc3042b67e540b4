import type { Settled } from "../model/outcome.ts";
import { type Stretch, stretchOf } from "./batch-line.ts";

/** How many stretches grow at the same time; one more ends the one that has not grown for longest. */
const MAX_GROWING = 6;

/** A stretch of a file. */
export interface FileStretch extends Stretch {
  readonly file: string;
}

/** Folds batches with the same kind, outcome and answer into stretches, whatever order they come in. */
export class Fold {
  /** The one that grew last comes last. */
  #growing: FileStretch[] = [];

  /** Adds a batch; returns the stretches that it ended: those of another file, and one if there are too many. */
  add(file: string, settled: Settled): { readonly ended: readonly FileStretch[]; readonly isNew: boolean } {
    const ended = this.#growing.some((stretch) => stretch.file !== file) ? this.end() : [];
    const one = stretchOf(settled);
    const at = this.#growing.findLastIndex((stretch) => areAlike(stretch.about, one.about));
    const isNew = at < 0;
    const stretch = isNew ? { file, ...one } : grow(this.#growing[at]!, one);
    if (!isNew) this.#growing.splice(at, 1);
    this.#growing.push(stretch);
    if (this.#growing.length <= MAX_GROWING) return { ended, isNew };
    return { ended: [...ended, ...this.#growing.splice(0, 1)], isNew };
  }

  /** The stretches that are still growing, in the order of their lines. */
  get growing(): readonly FileStretch[] {
    return this.#growing.toSorted((one, other) => one.firstLine - other.firstLine);
  }

  /** Ends all of them. */
  end(): readonly FileStretch[] {
    const ended = this.growing;
    this.#growing = [];
    return ended;
  }
}

function areAlike(one: Stretch["about"], other: Stretch["about"]): boolean {
  return (
    one.kind === other.kind &&
    one.outcome === other.outcome &&
    one.status === other.status &&
    one.msg === other.msg
  );
}

function grow(stretch: FileStretch, more: Stretch): FileStretch {
  return {
    ...stretch,
    batches: stretch.batches + more.batches,
    rows: stretch.rows + more.rows,
    attempts: stretch.attempts + more.attempts,
    firstLine: Math.min(stretch.firstLine, more.firstLine),
    lastLine: Math.max(stretch.lastLine, more.lastLine),
  };
}
