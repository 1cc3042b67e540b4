import type { ExportsOptions } from "../ledger/exports-rule.ts";
import type { OptionValues } from "../options/table.ts";

/** The options that say what the files of the table hold. */
export function exportsOf({ exports, identifyBy, onRepeat }: OptionValues): ExportsOptions {
  const isRecord = identifyBy?.length === 1 && identifyBy[0] === "record";
  return { exports, identity: isRecord ? "record" : identifyBy, keepsLast: onRepeat === "last" };
}

/** The fields that have their own columns in the results. */
export function resultFieldsOf({ identifyBy = [] }: OptionValues): readonly string[] {
  return identifyBy.includes("record") ? [] : identifyBy;
}
