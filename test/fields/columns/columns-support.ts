import type { FieldOptions } from "../../../src/fields/field-options.ts";
import { parseList, parseMap, parseTypes } from "../../../src/fields/field-rule-texts.ts";
import type { FieldSettlement } from "../../../src/fields/survey/field-survey.ts";
import type { RecPushError } from "../../../src/model/failure.ts";
import type { Cell } from "../../../src/model/rows.ts";
import { DEFAULT_FIELD_OPTIONS } from "../../support/field-options.ts";
import { chunkOf, csvReading, failureOf, surveyAll } from "../survey/survey-support.ts";

export type Options = Partial<FieldOptions>;
type Rows = readonly (readonly Cell[])[];

export const SEND: Options = { otherColumns: "send" };
export const DROP: Options = { otherColumns: "drop" };
export const map = (...texts: string[]): Options => ({ map: parseMap(texts, "--map") });
export const drop = (...texts: string[]): Options => ({ drop: parseList(texts, "--drop") });
export const keep = (...texts: string[]): Options => ({ keep: parseList(texts, "--keep") });
export const types = (...texts: string[]): Options => ({ types: parseTypes(texts, "--type") });

/** What a survey of a CSV tells; without an option, undeclared columns are asked about. */
export function found(
  headers: readonly string[],
  rows: Rows,
  options: Options = {},
  headerless = false,
): FieldSettlement {
  const given = { ...DEFAULT_FIELD_OPTIONS, ...options };
  return surveyAll(csvReading(headers, headerless), [chunkOf(headers, rows)], given).survey.finish();
}

/** The question about it. */
export function refused(
  headers: readonly string[],
  rows: Rows,
  options: Options = {},
  headerless = false,
): RecPushError {
  return failureOf(() => found(headers, rows, options, headerless));
}
