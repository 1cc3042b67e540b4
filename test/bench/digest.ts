import { createHash } from "node:crypto";

/** Tells whether two programs sent the same records, in whatever order and batches. */
export class RecordDigest {
  #count = 0;
  readonly #sums = new Uint32Array(4);

  add(record: Readonly<Record<string, unknown>>): void {
    const members = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
    const hash = createHash("md5").update(JSON.stringify(members)).digest();
    for (let word = 0; word < 4; word += 1)
      this.#sums[word] = (this.#sums[word] ?? 0) + hash.readUInt32LE(word * 4);
    this.#count += 1;
  }

  /** Number of records and a sum of their hashes. */
  toString(): string {
    return `${this.#count}:${[...this.#sums].map((sum) => sum.toString(16).padStart(8, "0")).join("")}`;
  }
}
