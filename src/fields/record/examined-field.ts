import type { Cell } from "../../model/problem-groups.ts";
import type { NullWords } from "../null-words.ts";
import { cellText, isBlank, trimSpaces } from "../spreadsheet-text.ts";
import type { Unreadable } from "../type-text.ts";

/** A used column, and how its cells are taken. */
export interface ExaminedField {
  /** 0-based position of the column. */
  readonly index: number;
  readonly header: string;
  readonly field: string;
  readonly kind: "key" | "text" | "typed";
  readonly nulls: NullWords;
  readonly isRequired: boolean;
  /** True if the config restricts its values. */
  readonly isChecked: boolean;
  /** The wire value if the cell has none. */
  readonly fallback: string | undefined;
  /** The wire value of a cell that is not empty, or why it has none; `undefined` for a key cell that is blank after all. */
  readonly take: (cell: Cell, line: number) => string | undefined | Unreadable;
}

/** True for a cell without a value. */
export function isEmpty(cell: Cell, { kind, nulls }: ExaminedField): boolean {
  if (cell === "" || cell === undefined || cell === null) return true;
  if (kind !== "text" && typeof cell === "string" && isBlank(cell)) return true;
  if (nulls.isEmpty) return false;
  const text = cellText(cell);
  return text !== undefined && nulls.has(kind === "text" ? text : trimSpaces(text));
}
