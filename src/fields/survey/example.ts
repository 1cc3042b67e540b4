import { quoteText } from "../../model/refer-to-sheets.ts";

/** A cell that a message can name. */
export interface Example {
  readonly line: number;
  readonly value: string;
}

/** True if a cell comes before the example; this order does not depend on when the cells were read. */
export function isEarlier(line: number, value: string, than: Example | undefined): boolean {
  return than === undefined || line < than.line || (line === than.line && value < than.value);
}

/** The earlier of two examples. */
export function earlier(one: Example | undefined, other: Example | undefined): Example | undefined {
  return one !== undefined && isEarlier(one.line, one.value, other) ? one : other;
}

/** The later of two examples. */
export function later(one: Example | undefined, other: Example | undefined): Example | undefined {
  return one === undefined || (other !== undefined && isEarlier(one.line, one.value, other)) ? other : one;
}

/** Writes `line 412 "26/03/2024"`. */
export function showExample({ line, value }: Example): string {
  return `line ${line} ${quoteText(value)}`;
}
