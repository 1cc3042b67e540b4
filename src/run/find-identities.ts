import { PRINT_BYTES } from "../ledger/comparison-form.ts";
import { comparisonOf } from "./comparison-of.ts";
import { PrintTable } from "../ledger/print-table.ts";
import { typeOfField } from "../fields/columns/known-fields.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { eachCreate } from "./print-creates.ts";

/** With more creates than this no identity is looked for: a table for each field would not fit into constant memory. */
const MOST_CREATES = 500_000;
/** This many fields are considered, in column order. */
const MOST_FIELDS = 4;

/**
 * The fields that would each identify all creates of an input by themselves: numbers and texts that every create has,
 * all different.
 */
export async function findIdentities(
  input: SurveyedInput,
  read: ReadOptions,
  creates: number,
): Promise<readonly string[]> {
  if (creates > MOST_CREATES || creates < 2) return [];
  const { fields, parts } = input.plan;
  const candidates = fields
    .map(({ field }) => field)
    .filter((field) => ["digits", "text"].includes(typeOfField(field, parts.options).kind))
    .slice(0, MOST_FIELDS)
    .map((field) => ({
      field,
      form: comparisonOf(input.plan, [field]),
      seen: new Set<number>(),
      table: new PrintTable(creates),
    }));
  let left = candidates;
  const print = Buffer.alloc(2 * PRINT_BYTES);
  await eachCreate(input, read, (text, from) => {
    left = left.filter(({ form, table, seen }) => {
      if (!form.print(text, from, print, 0)) return false;
      const slot = table.add(print, PRINT_BYTES);
      if (seen.has(slot)) return false;
      seen.add(slot);
      return true;
    });
  });
  return left.map(({ field }) => field);
}
