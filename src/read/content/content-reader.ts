import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import type { ReadOptions } from "../read-options.ts";
import { refuseBinaryContent, refuseNulBytes } from "../text/binary-content.ts";
import { readByteOrderMark } from "../text/byte-order-mark.ts";
import { createDecoder, type Decoder } from "../text/decode.ts";
import { createTrialDecoder, type TrialDecoder } from "../text/detect-encoding.ts";
import { createEvidenceCollector, type EvidenceCollector } from "../text/evidence.ts";
import { createTextCheck, type TextCheck } from "../text/text-check.ts";

/** This many bytes decide what kind of content it is, however the input is cut. */
export const HEAD_BYTES = 4096;

export type EncodingOptions = Pick<ReadOptions, "encoding" | "configured">;

/** Reads content whose encoding is known from a byte order mark, named, or tried. */
export type ContentReader = KnownReader | TrialReader;

export interface KnownReader {
  readonly kind: "known";
  readonly encoding: string;
  readonly decoder: Decoder;
  readonly check: TextCheck;
  readonly markBytes: number;
  /** Set if the encoding was named and the content may contradict it. */
  readonly evidence: EvidenceCollector | undefined;
}

export interface TrialReader {
  readonly kind: "trial";
  readonly decoder: TrialDecoder;
  readonly markBytes: 0;
  readonly evidence: EvidenceCollector;
}

/** How content that begins so is read. Throws input errors. */
export function beginReading(
  head: Buffer,
  { encoding: option, configured }: Pick<ReadOptions, "encoding" | "configured">,
  file: string,
): ContentReader {
  const isForced = option?.endsWith("!") === true;
  const named = isForced ? option?.slice(0, -1) : option;
  const mark = readByteOrderMark(head);
  refuseBinaryContent(head, file);
  if (mark !== undefined && named !== undefined && named !== mark.encoding) {
    throw contradicted(file, mark.encoding, named, configured?.has("encoding") === true);
  }
  const encoding = named ?? mark?.encoding;
  const isWide = encoding !== undefined && /^utf-(16|32)/.test(encoding);
  if (!isWide) refuseNulBytes(head, file);
  if (encoding === undefined) {
    const decoder = createTrialDecoder(file);
    const evidence = createEvidenceCollector({ push: decoder.isUtf8, end: decoder.isUtf8 });
    return { kind: "trial", decoder, markBytes: 0, evidence };
  }
  // A user who names UTF-8 accepts its characters as they are; a byte order mark alone does not imply that.
  const check = createTextCheck(file, () => encoding, { allowsC1: named === "utf-8" });
  const isCertain = isForced || isWide || mark !== undefined;
  return {
    kind: "known",
    encoding,
    check,
    decoder: createDecoder(encoding, file, check),
    markBytes: mark?.bytes ?? 0,
    evidence: isCertain ? undefined : createEvidenceCollector(),
  };
}

/** The encoding as far as it is known. */
export function encodingOf(reader: ContentReader): string {
  return reader.kind === "known" ? reader.encoding : (reader.decoder.encoding() ?? "utf-8");
}

/** The input error for a byte order mark that contradicts the encoding given on the command line or in a config. */
function contradicted(file: string, marked: string, named: string, isConfigured: boolean): RecPushError {
  const by = isConfigured ? "the config" : "--encoding";
  return inputError({ file }, "contradicting-mark", `a byte order mark says ${marked}, ${by} says ${named}`, {
    hint: isConfigured
      ? `add --encoding ${marked}, which counts before the config, or change "encoding" in the config`
      : `leave --encoding out, or --encoding ${marked}`,
  });
}
