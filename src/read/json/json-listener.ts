import type { JsonToken } from "./json-token.ts";
import type { JsonWindow } from "./json-window.ts";

/** Kinds of values that do not contain others. */
export type JsonScalar = "string" | "number" | "true" | "false" | "null";

/** See {@link JsonListener.takeRow}. */
export const [LEFT, CUT] = [-1, -2];

/** A value that is a word. */
export type JsonWord = "true" | "false" | "null";

/** The word that begins with a byte. */
export function wordOf(byte: number): JsonWord | undefined {
  if (byte === 0x74) return "true";
  if (byte === 0x66) return "false";
  return byte === 0x6e ? "null" : undefined;
}

/** Called with the tokens in containers down to the scanner's `captureDepth`, in the order of the file. */
export interface JsonListener {
  /** A container opens; `scanner.depth` already includes it. */
  open(isObject: boolean): void;
  /** A container is closed; `scanner.depth` no longer includes it. Returning true pauses the scan. */
  close(): boolean;
  /** A member name; `scanner.token` has it. */
  name(): void;
  /** A value that is not a container; `scanner.token` has it. */
  scalar(type: JsonScalar): void;
  /**
   * A value opens with a brace at this index, where a row may be: takes all of it and returns the index after it, or
   * {@link LEFT} if the scanner is to read it, or {@link CUT} if more bytes have to come first.
   */
  takeRow?(at: number): number;
  /** All available bytes are scanned: the moment to limit what is kept of them. */
  checkSize(): void;
}

/** A scalar in words. */
export function describeScalar(type: JsonScalar): string {
  return type === "string" || type === "number" ? `a ${type}` : type;
}

/** The offset at which the scalar that ends at `end` begins. */
export function startOfScalar(
  { window, token }: { readonly window: Pick<JsonWindow, "base">; readonly token: JsonToken },
  type: JsonScalar,
  end: number,
): number {
  if (type === "true" || type === "false" || type === "null") return end - type.length;
  return window.base + token.start - (type === "string" ? 1 : 0);
}

/** The current scalar token as text: the text of a string, the source of a number, or `true`, `false`, `null`. */
export function scalarText(token: JsonToken, type: JsonScalar): string {
  return type === "string" || type === "number" ? token.text() : type;
}
