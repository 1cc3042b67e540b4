import type { Difference } from "./compare.ts";

/** A text that a difference must have: whole, or matching; `null` for nothing there. */
type Wanted = string | number | RegExp | null;

/** A difference that the contract wants. Be narrow: what is not said matches anything. */
export interface Intended {
  /** The name of the case, or what it matches. */
  readonly case?: string | RegExp;
  readonly step?: number;
  readonly where: string | RegExp;
  readonly old?: Wanted;
  readonly new?: Wanted;
  /** The codes of the new build's errors in this step, joined by commas. */
  readonly code?: string | RegExp;
  /** All that differs in the step, or in the whole case from this step on, follows from it: but records that only the new build sends. */
  readonly covers?: "step" | "case";
  /** The sentence of the contract. */
  readonly because: string;
}

/** The differences of a case that nobody intended, and the entries that were needed. */
export function judge(
  differences: readonly Difference[],
  intended: readonly Intended[],
): { readonly left: readonly Difference[]; readonly used: ReadonlySet<Intended> } {
  const used = new Set<Intended>();
  const causes: { readonly from: number; readonly until: number }[] = [];
  const unlisted: Difference[] = [];
  for (const difference of differences) {
    const entries = intended.filter((entry) => matches(difference, entry));
    for (const entry of entries) {
      used.add(entry);
      const { step } = difference;
      if (entry.covers !== undefined)
        causes.push({ from: step, until: entry.covers === "case" ? Infinity : step });
    }
    if (entries.length === 0) unlisted.push(difference);
  }
  const follows = (difference: Difference): boolean =>
    !sendsMore(difference) &&
    causes.some(({ from, until }) => difference.step >= from && difference.step <= until);
  return { left: unlisted.filter((difference) => !follows(difference)), used };
}

/** True for a record, or a value of one, that the new build sends and the old one did not: no other difference explains it. */
function sendsMore({ where, new: is }: Difference): boolean {
  return /^(?:received|held)/.test(where) && is !== undefined;
}

function matches(difference: Difference, entry: Intended): boolean {
  return (
    is(difference.where, entry.where) &&
    (entry.case === undefined || is(difference.case, entry.case)) &&
    (entry.step === undefined || entry.step === difference.step) &&
    (entry.old === undefined || is(difference.old, entry.old)) &&
    (entry.new === undefined || is(difference.new, entry.new)) &&
    (entry.code === undefined || is(difference.codes[1], entry.code))
  );
}

function is(text: string | undefined, wanted: Wanted): boolean {
  if (wanted === null || text === undefined) return wanted === null && text === undefined;
  return wanted instanceof RegExp ? wanted.test(text) : text === String(wanted);
}
