/** The dot separates whole from decimals: one bit of a set of marks. */
export const DOT = 1;
/** The comma does. */
export const COMMA = 2;
export const ANY_MARK = DOT | COMMA;
export const MARKS = [DOT, COMMA] as const;

/** The bit of a pinned mark. */
export function markBit(mark: "." | ","): number {
  return mark === "." ? DOT : COMMA;
}

/** The character of a mark. */
export function markSign(mark: number): "." | "," {
  return mark === DOT ? "." : ",";
}

/** `decimal point` or `decimal comma`. */
export function markName(mark: number): string {
  return mark === DOT ? "decimal point" : "decimal comma";
}

/** True for a set of exactly one mark. */
export function isSingleMark(marks: number): boolean {
  return marks === DOT || marks === COMMA;
}
