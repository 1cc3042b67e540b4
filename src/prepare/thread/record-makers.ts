import type { Source } from "../../read/source/source.ts";
import type { SurveyProgress } from "../../survey/survey-input.ts";
import type { PreparedChunk } from "../packed-chunk.ts";
import { prepareRecords, type PlannedInput, type PrepareOptions } from "../prepare-records.ts";
import { isWorthAThread } from "./is-worth-a-thread.ts";
import type { RecordMaker } from "./record-maker.ts";

/** Makes the records of a command's inputs, in threads where they are worth it. */
export class RecordMakers {
  readonly #directory: string;
  readonly #options: PrepareOptions;
  readonly #makers = new Map<Source, RecordMaker>();

  /** `directory` is private and outlives this object. */
  constructor(directory: string, options: PrepareOptions) {
    this.#directory = directory;
    this.#options = options;
  }

  /**
   * Starts the thread while the only input is being inspected; with several inputs, the first would have to wait for
   * the survey of the last.
   */
  async expect(sources: readonly Source[]): Promise<void> {
    const [only] = sources;
    if (sources.length === 1 && only !== undefined && isWorthAThread(only)) await this.#makerOf(only);
  }

  /** To be called between the chunks of a survey. */
  async maybeStart({ source, inspection, rows, partsSoFar }: SurveyProgress): Promise<void> {
    await this.#makers.get(source)?.maybeBegin(rows, partsSoFar, { source, inspection }, this.#options);
  }

  /** The chunks of an input, to be read once. */
  async chunks(input: PlannedInput): Promise<AsyncIterable<PreparedChunk>> {
    // The other processor is for another shard.
    const isWorthIt = input.part === undefined && isWorthAThread(input.source);
    const maker = isWorthIt ? await this.#makerOf(input.source) : undefined;
    return (await maker?.chunks(input, this.#options)) ?? prepareRecords(input, this.#options);
  }

  /** Ends the threads and frees the disk. */
  async close(): Promise<void> {
    for (const maker of this.#makers.values()) await maker.close();
  }

  async #makerOf(source: Source): Promise<RecordMaker> {
    const known = this.#makers.get(source);
    if (known !== undefined) return known;
    const { RecordMaker } = await import("./record-maker.ts");
    const maker = new RecordMaker(this.#directory);
    this.#makers.set(source, maker);
    return maker;
  }
}
