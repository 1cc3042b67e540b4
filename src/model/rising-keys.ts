/**
 * Watches for rising keys, as many exports have them: as long as each key is greater than the one before, none can
 * equal an earlier one, and none has to be remembered.
 */
export class RisingKeys {
  #highest: string | undefined = "";

  /** True if the key is greater than all before it; once one was not, false from then on. */
  add(key: string): boolean {
    if (this.#highest === undefined) return false;
    this.#highest = isGreater(key, this.#highest) ? key : undefined;
    return this.#highest !== undefined;
  }
}

/** Longer keys are greater, as numbers without leading zeros are. */
function isGreater(key: string, other: string): boolean {
  return key.length === other.length ? key > other : key.length > other.length;
}
