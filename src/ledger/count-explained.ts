import { compareCreates, type Comparison } from "./compare-creates.ts";
import { countCreates, type CreateCounts, type Explained } from "./exports-rule.ts";
import type { LedgerSource } from "./ledger-sources.ts";
import type { PrintSpool } from "./print-spool.ts";

/** How many of the equal creates are equal to a create of a push that is wholly in the input. */
export async function countExplained(
  spool: PrintSpool,
  sources: readonly LedgerSource[],
  { comparison: { shared }, counts }: { readonly comparison: Comparison; readonly counts: CreateCounts },
  content: string,
): Promise<Explained> {
  const same = sources.filter((source) => source.content === content);
  if (same.length > 0 && countCreates(await compareCreates(spool, same, undefined)).equal >= counts.equal)
    return { explained: counts.equal, isSameContent: true };
  if (shared.every(({ shared, missing }) => shared === 0 || missing === 0))
    return { explained: counts.equal, isSameContent: false };
  // The user has said that the creates of a whole file are known.
  const all = sources.map((source) =>
    source.kind === "known" ? { ...source, kind: "added" as const } : source,
  );
  const { shared: found } = await compareCreates(spool, all, undefined);
  const whole = all.filter((_, at) => found[at]!.missing === 0);
  const { equal } = countCreates(await compareCreates(spool, whole, undefined));
  return { explained: equal, isSameContent: false };
}
