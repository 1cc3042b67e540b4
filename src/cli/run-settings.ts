import { packDay } from "../fields/date/calendar.ts";
import type { DeclaredField, FieldOptions } from "../fields/field-options.ts";
import { given } from "../options/given.ts";
import { READING_OPTIONS } from "../options/reading.ts";
import type { OptionValues } from "../options/table.ts";
import { planOptions } from "../options/plan-options.ts";
import { checkReadOptions, type ReadOptions } from "../read/read-options.ts";
import type { RunRequest } from "../run/run-inputs.ts";
import type { Io } from "./io.ts";

/** The options of a command, and the fields that configs declare. */
interface Asked {
  readonly values: OptionValues;
  readonly declared: ReadonlyMap<string, DeclaredField>;
  readonly configured: ReadonlySet<string>;
  readonly configColumns?: ReadonlySet<string>;
}

/** The request of a command for its inputs; `began` is when the run began. Throws a usage error. */
export function readRunRequest(files: readonly string[], asked: Asked, began: Date): RunRequest {
  const { values, configured } = asked;
  const { onInvalid = "stop", onRepeat = "all", maxInvalid, pinned = false } = values;
  const fields = fieldOptionsOf(asked, began);
  const { expectRows: rows, expectSum: sums } = values;
  const { drop: dropped } = fields;
  const flatten = values.flatten === true ? dropped : undefined;
  return {
    files,
    read: { ...readingOf(values), flatten, declared: declaredNames(fields), dropped, configured },
    fields,
    onInvalid,
    maxInvalid,
    onRepeat,
    expected: given({ rows, sums }),
    isPinned: pinned,
    optionPlan: planOptions(values),
    maxInputBytes: values.maxInputBytes,
  };
}

/** The same for a command that is run now; a program names what it passes in place of standard input. */
export function requestOf(
  files: readonly string[],
  asked: Asked,
  { now, inputName }: Pick<Io, "now" | "inputName">,
): RunRequest {
  const nameOf = (path: string): string | undefined => (path === "-" ? inputName : undefined);
  return { ...readRunRequest(files, asked, now()), nameOf };
}

/** The files of a request as they are named in messages. */
export function namesOf({ files, nameOf }: Pick<RunRequest, "files" | "nameOf">): readonly string[] {
  return files.map((file) => (file === "-" ? (nameOf?.(file) ?? file) : file));
}

/** All names by which options and config refer to columns and fields. */
function declaredNames({ map, keep, types, fields }: FieldOptions): string[] {
  const mapped = map.flatMap(({ column, field }) => [column, field]);
  return [...mapped, ...keep, ...types.keys(), ...(fields?.keys() ?? [])];
}

/** The options of the group "Reading". Throws a usage error if two contradict each other. */
function readingOf(values: OptionValues): ReadOptions {
  const names = Object.keys(READING_OPTIONS) as (keyof typeof READING_OPTIONS)[];
  const read: ReadOptions = Object.fromEntries(names.map((name) => [name, values[name]]));
  checkReadOptions(read);
  return read;
}

function fieldOptionsOf({ values, declared, configured, configColumns }: Asked, began: Date): FieldOptions {
  const { map = [], drop = [], keep = [], type = new Map(), set = new Map(), null: nulls = [] } = values;
  const { dateFormat, decimal, timeZone, pivotYear, keyLiteral: keyLiterals } = values;
  const { totals, sparse, empty = "omit", only, otherColumns } = values;
  return {
    map,
    drop,
    keep,
    types: type,
    set,
    nulls,
    pins: given({ dateFormat, decimal, timeZone, pivotYear, keyLiterals }),
    today: packDay(began),
    configured,
    fields: rulesOf(values, declared),
    empty,
    ...given({ only, totals, sparse, otherColumns, configColumns, isFlattened: values.flatten }),
  };
}

/** The options' rules replace declared ones, rule by rule. */
function rulesOf(
  { default: defaults = new Map(), required = [], pattern = new Map(), oneOf = new Map() }: OptionValues,
  declared: ReadonlyMap<string, DeclaredField>,
): ReadonlyMap<string, DeclaredField> {
  const fields = new Map(declared);
  const add = (field: string, rule: DeclaredField): void =>
    void fields.set(field, { ...fields.get(field), ...rule });
  for (const [field, text] of defaults) add(field, { default: text });
  for (const field of required) add(field, { required: true });
  for (const [field, form] of pattern) add(field, { pattern: form });
  for (const [field, possible] of oneOf) add(field, { oneOf: possible });
  return fields;
}
