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
  readonly #growing = new Map<string, FileStretch>();

  /** Adds a batch; returns the stretches that it ended: those of another file, and one if there are too many. */
  add(file: string, settled: Settled): { readonly ended: readonly FileStretch[]; readonly isNew: boolean } {
    const ended = [...this.#growing.values()].some((stretch) => stretch.file !== file) ? this.end() : [];
    const { kind, outcome, status = "", msg } = settled;
    const key = [kind, outcome, status, msg].join(" ");
    const one = stretchOf(settled);
    const stretch = this.#growing.get(key);
    this.#growing.delete(key);
    this.#growing.set(key, stretch === undefined ? { file, ...one } : grow(stretch, one));
    const isNew = stretch === undefined;
    if (this.#growing.size <= MAX_GROWING) return { ended, isNew };
    const [oldest, least] = this.#growing.entries().next().value!;
    this.#growing.delete(oldest);
    return { ended: [...ended, least], isNew };
  }

  /** The stretches that are still growing, in the order of their lines. */
  get growing(): readonly FileStretch[] {
    return [...this.#growing.values()].sort((one, other) => one.firstLine - other.firstLine);
  }

  /** Ends all of them. */
  end(): readonly FileStretch[] {
    const ended = this.growing;
    this.#growing.clear();
    return ended;
  }
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
