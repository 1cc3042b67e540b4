import type { DeclaredField, FieldOptions } from "../fields/field-options.ts";
import {
  parseDecimal,
  parseList,
  parseMap,
  parseNulls,
  parseSet,
  parseTimeZone,
  parseTypes,
} from "../fields/field-option-texts.ts";
import { RecPushError } from "../model/failure.ts";
import { parseFieldRules } from "../fields/field-rule-texts.ts";
import { parseDateFormat } from "../fields/type-text.ts";
import type { RawOptions } from "./program.ts";
import { given, isSet, textOf, textsOf } from "./raw-options.ts";

/** The options of section "Columns and values", before what a config declares, as field options. Throws usage. */
export function readFieldOptions(
  options: RawOptions,
  declared: ReadonlyMap<string, DeclaredField> = new Map(),
): FieldOptions {
  const mapped = <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = textOf(options, name);
    return text === undefined ? undefined : parse(text);
  };
  return {
    map: parseMap(textsOf(options, "map")),
    drop: parseList(textsOf(options, "drop"), "--drop"),
    keep: parseList(textsOf(options, "keep"), "--keep"),
    types: parseTypes(textsOf(options, "type")),
    set: parseSet(textsOf(options, "set")),
    nulls: parseNulls(textsOf(options, "null")),
    pins: given({
      dateFormat: mapped("dateFormat", (text) => parseDateFormat(text, "--date-format")),
      decimal: mapped("decimal", parseDecimal),
      timeZone: mapped("timeZone", parseTimeZone),
    }),
    configured: new Set(textsOf(options, "configured")),
    keepsFooter: isSet(options, "keepFooter"),
    fields: parseFieldRules(
      {
        default: textsOf(options, "default"),
        required: textsOf(options, "required"),
        pattern: textsOf(options, "pattern"),
        oneOf: textsOf(options, "oneOf"),
      },
      declared,
    ),
    empty: textOf(options, "empty") === "send" ? "send" : "omit",
    ...given({ only: onlyOf(textOf(options, "only")) }),
  };
}

/** What becomes of rows with one key. Throws usage where nothing counts them. */
export function readOnRepeat(options: RawOptions): "all" | "last" | "stop" {
  const text = textOf(options, "onRepeat");
  if (text !== "last" && text !== "stop") return "all";
  if (options["survey"] !== false) return text;
  throw new RecPushError(
    "usage",
    "contradicting-options",
    `--on-repeat ${text} needs the survey, which --no-survey leaves out`,
  );
}

function onlyOf(text: string | undefined): "updates" | "creates" | undefined {
  return text === "updates" || text === "creates" ? text : undefined;
}
