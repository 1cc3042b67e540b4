import { lookAtColumns } from "./columns-drift.ts";
import { LEAST_BEFORE, type Drift } from "./drift-aspect.ts";
import { lookAtKinds } from "./kinds-drift.ts";
import type { FreshProfile, Profile } from "./profile.ts";
import { lookAtRows } from "./rows-drift.ts";
import { lookAtSums } from "./sums-drift.ts";

const ASPECTS = [lookAtRows, lookAtColumns, lookAtKinds, lookAtSums];

/** How a file is unlike all before it (oldest first); finds nothing before the fourth file. */
export function findDrift(file: FreshProfile, before: readonly Profile[]): readonly Drift[] {
  return before.length < LEAST_BEFORE ? [] : ASPECTS.flatMap((lookAt) => lookAt(file, before));
}
