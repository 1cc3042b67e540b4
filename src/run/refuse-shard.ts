import type { RunFacts } from "../journal/run-facts.ts";
import { RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/shell-word.ts";

/** Throws a usage error for the run of a shard: alone it would not know which rows are its own. */
export function refuseShard({ run, shard }: Pick<RunFacts, "run" | "shard">): void {
  if (shard === undefined) return;
  const word = quoteWord(shard.directory);
  throw new RecPushError(
    "usage",
    "not-planned",
    `the run ${run} is that of the shard ${shard.shard}/${shard.of} of the plan ${shard.plan}: it is continued with its plan`,
    {
      hint: `rec-push push --plan ${word} --shard ${shard.shard}/${shard.of}\nrec-push runs --plan ${word} says what is left of the plan`,
    },
  );
}
