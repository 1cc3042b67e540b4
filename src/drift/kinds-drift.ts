import { showInteger } from "../model/quantities.ts";
import { isUnlikeAll, lastExample, RECENT, type LookAtAspect } from "./drift-aspect.ts";
import type { FreshProfile } from "./profile.ts";

/** Fewer rows than this may be of one kind by chance. */
const LEAST_ROWS = 20;
const FACTOR = 4;
/** A kind with less than this share of the rows comes and goes. */
const MANY = 0.25;

/** Updates where there used to be creates, and creates where there used to be updates. */
export const lookAtKinds: LookAtAspect = (file, before) => {
  if (file.rows < LEAST_ROWS) return [];
  const recent = before.slice(-RECENT);
  const share = file.updates / file.rows;
  const isDrift = isUnlikeAll(recent, "updates", (one) => {
    if (one.rows < LEAST_ROWS) return undefined;
    const other = one.updates / one.rows;
    return !hasTurned(share, other) && !hasTurned(other, share);
  });
  if (!isDrift) return [];
  const last = lastExample(
    recent.filter(({ rows }) => rows >= LEAST_ROWS),
    "updates",
  );
  return [
    {
      aspect: "updates",
      text: `${showKinds(last)} -> ${showKinds(file)}`,
      before: last.updates,
      now: file.updates,
    },
  ];
};

/** True if one of the kinds makes up much of one file and next to nothing of the other. */
function hasTurned(share: number, other: number): boolean {
  const isUpdates = share > MANY && share > FACTOR * other;
  return isUpdates || (1 - share > MANY && 1 - share > FACTOR * (1 - other));
}

function showKinds({ rows, updates }: FreshProfile): string {
  return `updates ${showInteger(updates)} and creates ${showInteger(rows - updates)}`;
}
