import type { Notice, Pin } from "../../model/reading.ts";
import type { Source } from "../source/source.ts";
import { decode } from "../text/decode.ts";
import type { Evidence } from "../text/evidence.ts";
import type { KnownReader, TrialReader } from "./content-reader.ts";
import { createContentWriter, type ContentWriter, type Decoded } from "./content-writer.ts";

/** The result of a pass over the bytes. */
export interface Content extends Decoded {
  readonly encoding: string;
  /** True if nothing shows the encoding: it was not given, and there is nothing but ASCII. */
  readonly isPlainAscii?: boolean;
  /** If the encoding was detected from content and is not UTF-8: the first line that shows this, if it is known. */
  readonly foreignLine: number | undefined;
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/** The content in an encoding that is known. Throws an input error if the content contradicts it. */
export async function confirmEncoding(
  source: Source,
  { encoding, evidence }: KnownReader,
  writer: ContentWriter,
): Promise<Content> {
  const content = writer.finish();
  const found = evidence?.finish();
  if (found !== undefined && found.excerpts.length > 0) {
    const { disproveEncoding, refuteEncoding } = await import("../text/weigh-encoding.ts");
    const better = disproveEncoding(encoding, found);
    if (better !== undefined) throw await refuteEncoding(source, encoding, better);
  }
  return { ...content, encoding, foreignLine: undefined, notices: [], pins: [] };
}

/** The content in the encoding that its bytes support, decoded again if the trial was wrong. Throws input errors. */
export async function settleEncoding(
  source: Source,
  { decoder, evidence: collector }: TrialReader,
  writer: ContentWriter,
): Promise<Content> {
  const evidence = collector.finish();
  const findLine = (): Promise<number | undefined> => lineOf(source, decoder.foreignByte());
  // What only holds ASCII is UTF-8, and needs no odds of letters.
  const isPlainAscii = evidence.excerpts.length === 0;
  const encoding = isPlainAscii ? "utf-8" : await weigh(source, evidence, findLine);
  const content = decoder.encoding() === encoding ? writer.finish() : await decodeAgain(source, encoding);
  if (encoding === "utf-8")
    return { ...content, encoding, isPlainAscii, foreignLine: undefined, notices: [], pins: [] };
  const line = await findLine();
  const where = line === undefined ? "the file" : `line ${line}`;
  const because = evidence.isUtf8 ? `${where} makes no words in UTF-8` : `${where} is not UTF-8`;
  return {
    ...content,
    encoding,
    foreignLine: line,
    notices: [{ ...(line === undefined ? {} : { line }), text: `${because}: read as ${encoding}` }],
    pins: [{ what: "encoding", option: `--encoding ${encoding}`, because }],
  };
}

/** The encoding that the evidence supports. Throws an input error that asks for it. */
async function weigh(
  source: Source,
  evidence: Evidence,
  findLine: () => Promise<number | undefined>,
): Promise<string> {
  const { askForEncoding, judgeEncoding } = await import("../text/weigh-encoding.ts");
  const verdict = judgeEncoding(evidence);
  if (verdict.kind !== "certain") throw await askForEncoding(source, verdict, await findLine());
  return verdict.encoding;
}

/** The line of a byte of the source. */
async function lineOf(source: Source, byte: number | undefined): Promise<number | undefined> {
  if (byte === undefined) return undefined;
  const { readLineAt } = await import("../text/weigh-encoding.ts");
  return (await readLineAt(source, byte)).line;
}

async function decodeAgain(source: Source, encoding: string): Promise<Decoded> {
  const writer = createContentWriter(source.name);
  for await (const piece of decode(source.open(), encoding, source.name)) writer.take(piece);
  return writer.finish();
}
