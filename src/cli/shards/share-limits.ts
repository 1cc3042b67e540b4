import { RecPushError } from "../../model/failure.ts";
import { given } from "../../options/declaration.ts";
import type { OptionValues } from "../../options/table.ts";

/** The share of each process in limits that are for all of them together. */
export function shareLimits(values: OptionValues, shards: number): OptionValues {
  refuseIndivisible(values, shards);
  const { rate, concurrency } = values;
  const share = (limit: number): number => Math.floor(limit / shards);
  return {
    ...values,
    ...given({
      rate: rate === undefined ? undefined : rate / shards,
      concurrency:
        typeof concurrency === "object"
          ? { most: share(concurrency.most) }
          : typeof concurrency === "number"
            ? share(concurrency)
            : concurrency,
    }),
  };
}

/** Throws a usage error for a limit on requests in flight that leaves some shards none. */
export function refuseIndivisible({ concurrency }: OptionValues, shards: number): void {
  if (concurrency === undefined || concurrency === "auto") return;
  const [auto, limit] = typeof concurrency === "object" ? ["auto:", concurrency.most] : ["", concurrency];
  if (limit >= shards) return;
  throw new RecPushError(
    "usage",
    "contradicting-options",
    `--concurrency ${auto}${limit} is for all shards together, and does not give each of ${shards} one request`,
    { hint: `--concurrency ${auto}${shards} or more, fewer shards, or --rate to be gentle` },
  );
}
