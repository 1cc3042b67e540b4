import type { Whereabouts } from "../model/event.ts";

/**
 * The stretches in the order of their files and lines; those of one kind and outcome that follow each other, or overlap,
 * are one. Batches settle in any order, and many of them fail in a row where the service is down.
 */
export function joinStretches(stretches: readonly Whereabouts[]): readonly Whereabouts[] {
  const files = [...new Set(stretches.map(({ file }) => file))];
  const sorted = stretches.toSorted(
    (one, other) => files.indexOf(one.file) - files.indexOf(other.file) || one.firstLine - other.firstLine,
  );
  const joined: Whereabouts[] = [];
  for (const stretch of sorted) {
    const at = joined.findLastIndex(
      ({ file, kind, outcome }) =>
        file === stretch.file && kind === stretch.kind && outcome === stretch.outcome,
    );
    const before = joined[at];
    if (before === undefined || stretch.firstLine > before.lastLine + 1) joined.push(stretch);
    else
      joined[at] = {
        ...before,
        lastLine: Math.max(before.lastLine, stretch.lastLine),
        rows: before.rows + stretch.rows,
      };
  }
  return joined;
}
