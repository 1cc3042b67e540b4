import { showCount } from "../model/quantities.ts";
import { RecPushError } from "../model/failure.ts";
import type { Settled } from "../model/outcome.ts";

/** After this many single records refused in a row, the service is taken to refuse every record. */
const MAX_REFUSED_IN_A_ROW = 20;

/** Counts what goes wrong in a row, in the order of settling; an accepted batch resets both counts. */
export class Streaks {
  readonly #maxFailed: number;
  #failed = 0;
  #refused = 0;

  constructor(maxFailed: number) {
    this.#maxFailed = maxFailed;
  }

  /** Returns the failure that stops the run once a count is full. */
  note({ outcome, records, status, msg }: Settled): RecPushError | undefined {
    switch (outcome) {
      case "accepted":
        this.#failed = 0;
        this.#refused = 0;
        return undefined;
      case "refused":
        this.#refused += records.length;
        return this.#refused < MAX_REFUSED_IN_A_ROW ? undefined : allRefused(this.#refused, status, msg);
      case "failed":
      case "inDoubt":
        this.#failed += 1;
        return this.#failed < this.#maxFailed ? undefined : keepsFailing(this.#failed, status, msg);
    }
  }
}

function allRefused(count: number, status: number | undefined, msg: string): RecPushError {
  return new RecPushError(
    "refused",
    "all-refused",
    `the service refused ${showCount(count, "record")} in a row, each sent alone (${status ?? "no answer"}): ${msg}`,
    {
      hint: "check the fields and their formats with rec-push check, mend what the service complains about, and push again",
    },
  );
}

function keepsFailing(count: number, status: number | undefined, msg: string): RecPushError {
  return new RecPushError(
    "unreachable",
    "keeps-failing",
    `${showCount(count, "batch")} in a row failed or are in doubt, the last one (${status ?? "no answer"}): ${msg}`,
    { hint: "check the service; with a higher --max-failed N the run goes on for longer" },
  );
}
