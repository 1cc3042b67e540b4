import type { LoadSign } from "./limit/in-flight-limit.ts";

const START = 4;
const GROWTH = 1 / 8;

/**
 * How many batches of creates may be in flight at once. What the service does not bear of them is in doubt and not only
 * sent later, so more of them are tried by an eighth at a time where updates are doubled, and none is left of that after
 * an overload.
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
