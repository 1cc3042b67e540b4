import type { PreparedChunk } from "../prepare/packed-chunk.ts";

/** The rows of an input that one shard of a plan sends, as the plan wrote them; those of all shards are all its rows, each once. */
export interface InputPart {
  /** Its records, ready to be sent, and its rejected rows. */
  readonly records: () => AsyncIterable<PreparedChunk>;
  /** The text that its rows have in the input, after the lines above them; a row's place is counted in it. */
  readonly rows: () => AsyncIterable<Buffer>;
  /** The byte order mark of the input. */
  readonly mark: Buffer;
}

/** Why the ledger leaves a create out. */
export type LeftOutCreate = "created" | "inDoubt" | "changed" | "repeated";
