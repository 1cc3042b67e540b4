/** Hands values from many writers to one reader, in the order of writing; writers wait while it is full. */
export class Channel<T> {
  readonly #capacity: number;
  readonly #values: T[] = [];
  #isClosed = false;
  #readerWaits: (() => void) | undefined;
  #writersWait: (() => void)[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Resolves once there is room for another value, or nobody reads any more. */
  write(value: T): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#values.push(value);
    this.#readerWaits?.();
    if (this.#values.length < this.#capacity) return Promise.resolve();
    return new Promise((resolve) => this.#writersWait.push(resolve));
  }

  /** Ends reading after what is already written, and frees the writers. */
  close(): void {
    this.#isClosed = true;
    this.#readerWaits?.();
    this.#freeWriters();
  }

  async *read(): AsyncGenerator<T, void, void> {
    for (;;) {
      const value = this.#values.shift();
      if (value !== undefined) {
        if (this.#values.length < this.#capacity) this.#freeWriters();
        yield value;
      } else if (this.#isClosed) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#readerWaits = resolve;
        });
        this.#readerWaits = undefined;
      }
    }
  }

  #freeWriters(): void {
    for (const free of this.#writersWait.splice(0)) free();
  }
}
