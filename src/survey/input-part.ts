import type { Slice } from "../read/slice.ts";

/** The rows of an input that one shard of a plan sends; those of all shards are all its rows, each once. */
export interface InputPart extends Slice {
  /** True if the slice can be read without what is before it. */
  readonly isAlone: boolean;
  /**
   * Says for a key whether its rows belong to the part; `undefined` if those between the borders do, because no key has rows
   * in two parts. Rows without a key belong to the part that holds them.
   */
  readonly holdsKey: ((key: string) => boolean) | undefined;
  /** Why a create of the part is not sent, as the plan decided, by its number among the creates of the part. */
  readonly whyLeftOut: (ordinal: number) => LeftOutCreate | undefined;
}

/** Why the ledger leaves a create out. */
export type LeftOutCreate = "created" | "inDoubt" | "changed" | "repeated";
