import type { RowProblem } from "../../model/row.ts";
import { quoteText } from "../../model/visible-text.ts";

/** Why a row looks like a total or a remark. */
export type Suspicion =
  | { readonly kind: "phrase"; readonly phrase: string }
  /** A field holds the sum of rows above. */
  | { readonly kind: "sum"; readonly field: string }
  /** Its only cell is text, unlike in all rows before. */
  | { readonly kind: "remark"; readonly text: string }
  /** Few words, and nothing that makes the rows before what they are; each in quotes. */
  | { readonly kind: "heading"; readonly words: string }
  /** A line of dashes. */
  | { readonly kind: "rule"; readonly text: string }
  /** A JSON record that holds nothing but one object. */
  | { readonly kind: "nested"; readonly member: string }
  /** It lacks most of what the other rows hold; its first cells, in quotes. */
  | { readonly kind: "sparse"; readonly words: string };

/** True for a row of words, which ends no stretch of rows that a total adds up. */
export function isWords({ kind }: Suspicion): boolean {
  return kind === "remark" || kind === "heading";
}

/** The user's choice for suspects; without it they are invalid. */
export type TotalsAnswer = "skip" | "keep";

/** The answers for rows that look like totals, and for rows that hold too little. */
export interface SuspectAnswers {
  readonly totals?: TotalsAnswer;
  readonly sparse?: TotalsAnswer;
}

/** The hints that settle any suspect. */
export const TOTALS_HINT = "--totals skip leaves such rows out, --totals keep takes them as rows";
export const SPARSE_HINT = "--sparse skip leaves such rows out, --sparse keep takes them as rows";

/** The problem of a row that looks like a total; `record` is 0, or absent, for a row that is not of JSON. */
export function totalProblem(
  line: number,
  record: number | undefined,
  reason: string,
  hint: string,
): RowProblem {
  return record === undefined || record === 0 ? { line, reason, hint } : { line, record, reason, hint };
}

/** The answer for a suspect. */
export function answerFor(isSparse: boolean, { totals, sparse }: SuspectAnswers): TotalsAnswer | undefined {
  return isSparse ? sparse : totals;
}

/** The reason for a suspicion, in one clause. */
export function explainSuspicion(suspicion: Suspicion): string {
  switch (suspicion.kind) {
    case "phrase":
      return `the row looks like a total: it begins with ${quoteText(suspicion.phrase)}`;
    case "sum":
      return `the row looks like a total: its ${suspicion.field} is the sum of rows above, and it holds little else`;
    case "remark":
      return `the row looks like a remark: it holds ${quoteText(suspicion.text, 60)} alone, and the rows before hold more`;
    case "heading":
      return `the row looks like a heading or a remark: it holds only ${suspicion.words}, no date and no amount`;
    case "rule":
      return `the row is a line of signs: ${quoteText(suspicion.text, 20)}`;
    case "nested":
      return `the row is unlike all others: it holds nothing but the object ${quoteText(suspicion.member)}`;
    case "sparse":
      return `the row is unlike all others: it holds ${suspicion.words}, and lacks most of what they hold`;
  }
}
