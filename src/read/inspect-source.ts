import { RecPushError } from "../model/failure.ts";
import { pause } from "../model/interruption.ts";
import { isTabular, type Reading, type ReadingSoFar } from "../model/reading.ts";
import { ContentPass } from "./content/content-pass.ts";
import { SAMPLE_BYTES } from "./content/content-writer.ts";
import { NOTHING_TELLING, type TellingColumns } from "./csv/telling-columns.ts";
import { checkReadOptions, type ReadOptions } from "./read-options.ts";
import { readSheet } from "./settle-format.ts";
import { notUtf8Json, settleSample, toReading, type SettledSample } from "./settle-reading.ts";
import type { BlockProof, ContentProof } from "./source/block-proof.ts";
import type { SheetRead, Source } from "./source/source.ts";
import { TextFault } from "./text/text-check.ts";

/** How a source is read, and the proof of what it held. */
export interface Inspection {
  readonly reading: Reading;
  readonly proof: ContentProof;
  /** CSV: number of empty cells that every row has after its columns. */
  readonly surplus: number;
  readonly telling: TellingColumns;
  /** CSV: the starts of the rows that csv-parse reads differently, as byte positions in the content. */
  readonly disputed: readonly number[];
}

/** What the beginning of a source has settled; the rest of it may disprove that. */
export interface InspectionSoFar extends Omit<Inspection, "reading" | "proof"> {
  readonly reading: ReadingSoFar;
  readonly proof: BlockProof;
}

/** Reads the source to its end, only once if it is UTF-8 or windows-1252. Throws usage and input errors. */
export async function inspectSource(source: Source, options: ReadOptions): Promise<Inspection> {
  const first = await FirstPass.begin(source, options);
  try {
    return (await first.finish()).inspection;
  } finally {
    await first.close();
  }
}

/**
 * The first pass over a source: settles how it is read, and proves what it holds. For an ordinary export its first MiB
 * settles that, and the content can be used while the pass goes on.
 */
export class FirstPass {
  readonly #source: Source;
  readonly #options: ReadOptions;
  readonly #sheet: SheetRead | undefined;
  readonly #pass: ContentPass;
  /** What the first MiB has settled. */
  #early: SettledSample | undefined;

  private constructor(source: Source, options: ReadOptions, sheet: SheetRead | undefined) {
    this.#source = source;
    this.#options = options;
    this.#sheet = sheet;
    this.#pass = new ContentPass(source, sheet === undefined ? options : { encoding: "utf-8!" });
  }

  /** Reads the sheet of a workbook, and nothing of another source. Throws usage and input errors. */
  static async begin(source: Source, options: ReadOptions): Promise<FirstPass> {
    checkReadOptions(options);
    return new FirstPass(source, options, await readSheet(source, options));
  }

  /** What the first MiB of a larger source settles; `undefined` if that is not certain, and {@link finish} says why. */
  async early(): Promise<InspectionSoFar | undefined> {
    try {
      const content = await this.#pass.readAhead();
      if (content === undefined) return undefined;
      this.#early = await this.#settle(content.sample, false);
      return this.#inspection(this.#early, { ...content, notices: [], pins: [] });
    } catch (error) {
      if (error instanceof RecPushError || error instanceof TextFault) return undefined;
      throw error;
    }
  }

  /** All the content, for what {@link early} returns; to be read once. The pass goes on with it. */
  content(): AsyncIterable<Buffer> {
    return this.#pass.content();
  }

  /**
   * Reads what is left. What {@link early} and {@link content} gave was right if `isAsEarly` is true. Throws usage and
   * input errors.
   */
  async finish(): Promise<{ readonly inspection: Inspection; readonly isAsEarly: boolean }> {
    const content = await this.#pass.finish();
    await pause();
    const { proof, sample } = content;
    const early = content.isAsRead ? this.#early : undefined;
    const settled = early ?? (await this.#settle(sample, proof.totalBytes <= SAMPLE_BYTES));
    if (!isTabular(settled.format) && content.pins.length > 0) throw notUtf8Json(this.#source.name, content);
    const soFar = this.#inspection(settled, content);
    const reading = { ...soFar.reading, fingerprint: proof.fingerprint };
    return { inspection: { ...soFar, reading, proof }, isAsEarly: early !== undefined };
  }

  /** Ends reading. */
  close(): Promise<void> {
    return this.#pass.close();
  }

  #settle(sample: Buffer, isWhole: boolean): Promise<SettledSample> {
    return settleSample(this.#source, { sample, isWhole }, this.#options, this.#sheet);
  }

  #inspection(
    settled: SettledSample,
    content: Parameters<typeof toReading>[2] & { readonly proof: BlockProof },
  ): InspectionSoFar {
    const { csv } = settled;
    return {
      reading: toReading(this.#source.name, settled, content, this.#options, this.#sheet),
      proof: content.proof,
      surplus: csv?.surplus ?? 0,
      telling: csv?.telling ?? NOTHING_TELLING,
      disputed: csv?.disputed ?? [],
    };
  }
}
