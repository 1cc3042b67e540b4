import type { RecordList } from "../model/record-list.ts";
import type { SelectedChunk } from "../prepare/select.ts";

/** Called with every chunk; `isSent` is false for chunks that come after sending has stopped. */
export type NoteChunk = (chunk: SelectedChunk, isSent: boolean) => Promise<void>;

/** The chunks of one input on their way to sending; when sending has stopped, the rest can still be recorded. */
export class RecordFeed {
  readonly #chunks: AsyncIterator<SelectedChunk>;
  readonly #note: NoteChunk;
  /** Rows that were recorded as rejected. */
  rejectedRows = 0;

  constructor(chunks: AsyncIterable<SelectedChunk>, note: NoteChunk) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#note = note;
  }

  /** The records to be sent. Leaving the loop early does not end the chunks. */
  async *records(): AsyncGenerator<RecordList> {
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return;
      this.rejectedRows += value.rejected.length;
      await this.#note(value, true);
      if (value.records.length > 0) yield value.records;
    }
  }

  /** Records the chunks that are left; ends once `isEnough` returns true. */
  async drain(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return;
      this.rejectedRows += value.rejected.length;
      await this.#note(value, false);
    }
  }

  /** Ends the chunks. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
