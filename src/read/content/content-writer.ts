import { inputError } from "../input-error.ts";
import { createProofWriter, type BlockProof, type ContentProof } from "../source/block-proof.ts";

export const SAMPLE_BYTES = 1_048_576;

/** What was decoded. */
export interface Decoded {
  /** The first MiB, decoded. */
  readonly sample: Buffer;
  readonly proof: ContentProof;
}

/** Takes decoded content in order. */
export interface ContentWriter {
  take(piece: Buffer): void;
  soFar(): { readonly sample: Buffer; readonly proof: BlockProof };
  /** Throws an input error if there is nothing but white space. */
  finish(): Decoded;
}

export function createContentWriter(file: string): ContentWriter {
  const proof = createProofWriter();
  const sample: Buffer[] = [];
  let sampleBytes = 0;
  let hasContent = false;
  return {
    take(piece) {
      proof.add(piece);
      hasContent ||= piece.some((byte) => byte > 0x20);
      if (sampleBytes >= SAMPLE_BYTES) return;
      sample.push(Buffer.from(piece.subarray(0, SAMPLE_BYTES - sampleBytes)));
      sampleBytes += piece.length;
    },
    soFar: () => ({ sample: Buffer.concat(sample), proof: proof.soFar }),
    finish() {
      if (!hasContent) throw noContent(file);
      return { sample: Buffer.concat(sample), proof: proof.finish() };
    },
  };
}

export function noContent(file: string): Error {
  return inputError({ file }, "empty", "the file holds nothing but blank lines", {
    hint: "export it again, or leave it out",
  });
}
