import type { PreparedRecord } from "../model/record.ts";
import type { SelectedChunk } from "../prepare/select.ts";

/** Hears of every chunk; `isSent` is false for those that come up after sending has stopped. */
export type NoteChunk = (chunk: SelectedChunk, isSent: boolean) => Promise<void>;

/** The chunks of one input on their way to sending, of which the rest can still be noted when sending has stopped. */
export class RecordFeed {
  readonly #chunks: AsyncIterator<SelectedChunk>;
  readonly #note: NoteChunk;
  /** Rows that were noted as rejected. */
  rejectedRows = 0;

  constructor(chunks: AsyncIterable<SelectedChunk>, note: NoteChunk) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#note = note;
  }

  /** The records to be sent. To leave it early does not end the chunks. */
  async *records(): AsyncGenerator<readonly PreparedRecord[]> {
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return;
      this.rejectedRows += value.rejected.length;
      await this.#note(value, true);
      if (value.records.length > 0) yield value.records;
    }
  }

  /** Notes the chunks that are left; ends once `isEnough` says so. */
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
