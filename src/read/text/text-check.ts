import { isAscii } from "node:buffer";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";

/** A place in a text; line and column count from 1. */
interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/**
 * Bytes that are no text. Where they are is not known to those who find them, because lines are only counted once that
 * matters: at `offset` of `piece`, which follows the pieces that were in order.
 */
export class TextFault extends Error {
  readonly piece: Buffer;
  readonly offset: number;
  /** True for a NUL, which no other encoding of this width explains. */
  readonly isNul: boolean;
  /** The input error for the place. */
  readonly at: (place: TextPlace) => RecPushError;

  constructor(piece: Buffer, offset: number, at: TextFault["at"]) {
    super("bytes that are no text");
    this.piece = piece;
    this.offset = offset;
    this.isNul = piece[offset] === 0;
    this.at = at;
  }
}

/**
 * Checks decoded text (UTF-8, whole characters). Throws a {@link TextFault} at a control character that does not occur
 * in text (NUL, U+0080 to U+009F).
 */
export type TextCheck = (piece: Buffer) => void;

/** `encoding` is the one that the messages question; `allowsC1` if the user named it and it cannot be another. */
export function createTextCheck(
  file: string,
  encoding: () => string,
  { allowsC1 = false }: { readonly allowsC1?: boolean } = {},
): TextCheck {
  return (piece) => {
    const nul = piece.indexOf(0);
    const control = allowsC1 ? -1 : findC1Control(piece);
    if (nul !== -1 && (control === -1 || nul < control))
      throw new TextFault(piece, nul, (place) =>
        inputError({ file, ...place }, "nul-byte", "a NUL character, which does not occur in text", {
          hint: `export the file again as text${encoding().startsWith("utf-16") ? "" : ", or name its encoding: --encoding utf-16le"}`,
        }),
      );
    if (control === -1) return;
    const code = (piece[control + 1] ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const read = encoding();
    throw new TextFault(piece, control, (place) =>
      inputError(
        { file, ...place },
        "control-character",
        `read as ${read}, this is the control character U+${code}, which does not occur in text`,
        { hint: read === "utf-8" ? SPOILT_HINT : suggestEncoding(read) },
      ),
    );
  };
}

/** In valid UTF-8, characters like these come from a wrong decoding before the export. */
const SPOILT_HINT =
  "the text was damaged before it was exported: export it again, or take it as it is with --encoding utf-8";

/** The options worth trying after an encoding has failed. */
export function suggestEncoding(failed: string): string {
  const others = ["windows-1252", "utf-8", "iso-8859-15", "cp850"].filter((name) => name !== failed);
  return `name the encoding: ${others.map((name) => `--encoding ${name}`).join(", ")}`;
}

/** U+0080 to U+009F are C2 80 to C2 9F in UTF-8. */
function findC1Control(piece: Buffer): number {
  if (isAscii(piece)) {
    return -1;
  }
  let at = piece.indexOf(0xc2);
  while (at !== -1 && (piece[at + 1] ?? 0xff) >= 0xa0) {
    at = piece.indexOf(0xc2, at + 2);
  }
  return at;
}
