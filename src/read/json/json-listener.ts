import type { JsonToken } from "./json-token.ts";

/** Kinds of values that hold no others. */
export type JsonScalar = "string" | "number" | "true" | "false" | "null";

/** Told of the tokens in containers down to the scanner's `captureDepth`, in the order of the file. */
export interface JsonListener {
  /** A container opens; `scanner.depth` counts it already. */
  open(isObject: boolean): void;
  /** A container is closed; `scanner.depth` no longer counts it. True pauses the scan. */
  close(): boolean;
  /** A member name; `scanner.token` has it. */
  name(): void;
  /** A value that is not a container; `scanner.token` has it. */
  scalar(type: JsonScalar): void;
  /** All bytes at hand are scanned: the moment to bound what is kept of them. */
  checkSize(): void;
}

/** A scalar in words. */
export function describeScalar(type: JsonScalar): string {
  return type === "string" || type === "number" ? `a ${type}` : type;
}

/** True if a scalar, whose token is at hand, is null, false, 0 or "". */
export function isEmptyScalar(token: JsonToken, type: JsonScalar): boolean {
  if (type === "string" || type === "number") return /^(?:-?0(?:\.0*)?)?$/.test(token.text());
  return type !== "true";
}
