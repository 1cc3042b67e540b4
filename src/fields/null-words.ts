/** Words that mean "no value" in a cell. All columns of a file share them. */
export class NullWords {
  readonly #words: ReadonlySet<string>;
  readonly #common: NullWords | undefined;
  /** By byte: 1 if the UTF-8 of one of the words begins with it. */
  readonly firstBytes: Uint8Array;

  constructor(words: Iterable<string>, common?: NullWords) {
    this.#words = new Set(words);
    this.#common = common;
    this.firstBytes = common === undefined ? new Uint8Array(256) : common.firstBytes.slice();
    for (const word of this.#words) this.firstBytes[Buffer.from(word)[0] ?? 0] = 1;
  }

  get isEmpty(): boolean {
    return this.#words.size === 0 && (this.#common?.isEmpty ?? true);
  }

  has(text: string): boolean {
    return this.#words.has(text) || (this.#common?.has(text) ?? false);
  }
}
