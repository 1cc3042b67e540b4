import { createHash } from "node:crypto";
import type { RecordKind } from "../model/record.ts";
import { NumberRanges, type NumberRange } from "./number-ranges.ts";
import type { RunAccount } from "./run-account.ts";

/**
 * A short name for what a run has in doubt now: it changes with every record that comes into doubt or out of it, and
 * with every decision. `undefined` if nothing is in doubt.
 */
export function nameDoubt(account: RunAccount): string | undefined {
  if (account.count("inDoubt") === 0) return undefined;
  const { inDoubt, decisions, facts } = account;
  const of = (kind: RecordKind): readonly NumberRange[] => {
    const all = new NumberRanges();
    for (const range of inDoubt[kind]) all.add(range);
    return all.ranges;
  };
  const text = JSON.stringify([facts?.run, decisions, of("update"), of("create")]);
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** What the steps for a run in doubt say of it. */
export function doubtOf(account: RunAccount): {
  readonly doubt: string | undefined;
  readonly isRefused: boolean;
} {
  return { doubt: nameDoubt(account), isRefused: account.doubts.some(({ isRefused }) => isRefused) };
}
