import { RecPushError } from "../../model/failure.ts";
import { given } from "../../options/given.ts";
import type { OptionValues } from "../../options/table.ts";

/** The share of each process in limits that are for all of them together. */
export function shareLimits(values: OptionValues, shards: number): OptionValues {
  refuseIndivisible(values, shards);
  const { rate, concurrency, maxConcurrency } = values;
  const share = (limit: number | undefined): number | undefined =>
    limit === undefined ? undefined : Math.floor(limit / shards);
  return {
    ...values,
    ...given({
      rate: rate === undefined ? undefined : rate / shards,
      concurrency: typeof concurrency === "number" ? share(concurrency) : concurrency,
      maxConcurrency: share(maxConcurrency),
    }),
  };
}

/** Throws a usage error for a limit on requests in flight that leaves some shards none. */
export function refuseIndivisible({ concurrency, maxConcurrency }: OptionValues, shards: number): void {
  for (const [flag, limit] of [
    ["--concurrency", concurrency],
    ["--max-concurrency", maxConcurrency],
  ] as const) {
    if (typeof limit !== "number" || limit >= shards) continue;
    throw new RecPushError(
      "usage",
      "contradicting-options",
      `${flag} ${limit} is for all shards together, and does not give each of ${shards} one request`,
      { hint: `${flag} ${shards} or more, fewer shards, or --rate to be gentle` },
    );
  }
}
