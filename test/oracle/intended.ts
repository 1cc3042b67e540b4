import type { Intended } from "./judge.ts";

/**
 * Differences from the build we compare with that the contract wants, each with its sentence. For example:
 *
 *   { where: "exit", old: 0, new: 3, code: "cut-file", covers: "step", because: "if it ends without a line end and its last
 *     cell is unlike its column, it stops" }
 */
export const INTENDED: readonly Intended[] = [];
