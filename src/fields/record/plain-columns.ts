import type { PlainColumn, PlainRules } from "../../kernel/plain-rows.ts";
import { isPlainKey } from "../key.ts";
import type { FormatSpec } from "../survey/column-format.ts";
import type { ExaminedField, RowRules } from "./examine-row.ts";

const SPACE = 0x20;
const FIRST_BEYOND_ASCII = 0x80;

/** What decides about the cells of a used column, as far as their bytes show it. */
export function plainColumn(
  { index, kind, nulls, fallback }: ExaminedField,
  type: FormatSpec["kind"],
  { sendsEmpty }: RowRules,
): Omit<PlainColumn, "isAwaited"> {
  return {
    index,
    kind,
    areDigitsAlike: type === "amount" || type === "digits",
    givesEmpty: sendsEmpty && kind !== "key" && fallback === undefined,
    // Only a text is not trimmed before it is compared with the words.
    nulls: nulls.isEmpty ? undefined : kind === "text" ? nulls.firstBytes : withBlanks(nulls.firstBytes),
  };
}

/** The rules for whole rows; `undefined` if the values of a field are checked, which takes their text. */
export function plainRules(fields: readonly ExaminedField[], rules: RowRules): PlainRules | undefined {
  if (fields.length === 0 || fields.some(({ isChecked }) => isChecked)) return undefined;
  const { only, hasExtras, nameless } = rules;
  return { only, hasExtras, nameless, isPlainKey };
}

function withBlanks(firstBytes: Uint8Array): Uint8Array {
  return firstBytes.map((isFirst, byte) => (byte <= SPACE || byte >= FIRST_BEYOND_ASCII ? 1 : isFirst));
}
