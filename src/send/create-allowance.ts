import type { LoadSign } from "./limit/in-flight-limit.ts";

const START = 4;
const GROWTH = 1 / 8;

/**
 * How many batches of creates may be in flight at once. If the service cannot cope, creates are not just sent later
 * but end in doubt; so their number grows by an eighth at a time where that of updates doubles, and an overload takes
 * all of the growth back.
 */
export class CreateAllowance {
  #allowed = START;

  get limit(): number {
    return Math.floor(this.#allowed);
  }

  /** A request with creates has ended. */
  end(sign: LoadSign): void {
    if (sign === "answered") this.#allowed += GROWTH;
    else if (sign === "overloaded") this.#allowed = START;
  }
}
