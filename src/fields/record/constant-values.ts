import { RecPushError } from "../../model/failure.ts";
import { KEY_FIELD, typeOfField } from "../columns/known-fields.ts";
import type { FieldOptions } from "../field-options.ts";
import { readerOf } from "./format-spec.ts";
import { collectEvidence, settleColumns } from "../survey/settle.ts";
import { quoteText } from "../../model/visible-text.ts";
import type { FieldType, ReadValue } from "../value.ts";

/** The wire values that do not come from a cell, by field. */
export interface ConstantValues {
  /** From `--set`: in every record. */
  readonly set: ReadonlyMap<string, string>;
  /** From declared defaults: used if the cell gives no value. */
  readonly defaults: ReadonlyMap<string, string>;
}

/** Converts constants and defaults to the format of their field. Throws a usage error if one has no certain reading. */
export function readConstants(options: FieldOptions): ConstantValues {
  const set = new Map<string, string>();
  for (const [field, text] of options.set)
    set.set(field, readConstant(`--set ${field}`, field, text, options));
  const defaults = new Map<string, string>();
  for (const [field, { default: text }] of options.fields ?? []) {
    if (text === undefined || set.has(field)) continue;
    if (field === KEY_FIELD) {
      throw new RecPushError(
        "usage",
        "constant-key",
        `a default for ${KEY_FIELD} would make many rows one record`,
      );
    }
    defaults.set(field, readConstant(`the default of ${field}`, field, text, options));
  }
  return { set, defaults };
}

function readConstant(source: string, field: string, text: string, options: FieldOptions): string {
  const type = typeOfField(field, options);
  // An empty constant is meant to blank the field.
  if (type.kind === "text" || text === "") return text;
  try {
    const value = settleAlone({ source, field, type }, text, options)(text);
    if (typeof value === "string") return value;
    throw notReadable(source, text, type, value.reason, value.hint);
  } catch (error) {
    if (!(error instanceof RecPushError) || error.kind === "usage") throw error;
    throw notReadable(source, text, type, error.message, error.hint);
  }
}

/** Settles the format as if it were the only cell of its column. */
function settleAlone(
  { source, field, type }: { readonly source: string; readonly field: string; readonly type: FieldType },
  text: string,
  { pins, today }: Pick<FieldOptions, "pins" | "today">,
): ReadValue {
  const evidence = collectEvidence(type, pins, field);
  const unreadable = evidence.add(text, 1);
  if (unreadable !== undefined) return () => unreadable;
  const place = { file: source, noun: "column" } as const;
  const [format] = settleColumns([{ name: field, field, type, evidence }], pins, place, today);
  return readerOf(format!.spec);
}

function notReadable(
  source: string,
  text: string,
  type: FieldType,
  reason: string,
  hint?: string,
): RecPushError {
  const message = `${source}: ${quoteText(text)} is not certain as ${type.kind}: ${reason}`;
  const sample = type.kind === "date" ? "write it as YYYY-MM-DD" : "write it with a point and no grouping";
  return new RecPushError("usage", "constant-unreadable", message, { hint: hint ?? sample });
}
