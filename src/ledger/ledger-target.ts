import type { RunIdentity } from "../store/run-facts.ts";
import { comparedUrl } from "../store/table-place.ts";

/** The part of a run's identity that a ledger belongs to; the database version is noted in it. */
export type LedgerTarget = Pick<RunIdentity, "url" | "runKey" | "queries">;

/** A target whose ledger is asked, with the addresses that the same table had before (`--same-as`). */
export interface AskedTarget extends LedgerTarget {
  readonly formerUrls?: readonly string[] | undefined;
}

/** A target and the targets that it was before, each once. */
export function targetsOf({ formerUrls = [], ...target }: AskedTarget): readonly LedgerTarget[] {
  const asked = new Set<string>();
  return [target.url, ...formerUrls].flatMap((url) => {
    if (asked.has(comparedUrl(url))) return [];
    asked.add(comparedUrl(url));
    return [targetOf({ ...target, url })];
  });
}

/** The target of a run, or of a command. */
export function targetOf({ url, runKey, queries }: LedgerTarget): LedgerTarget {
  return { url, runKey, ...(queries === undefined ? {} : { queries }) };
}
