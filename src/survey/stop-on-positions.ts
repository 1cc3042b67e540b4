import { parseSum, writeSum } from "../fields/amount/amount-evidence.ts";
import { nameColumns } from "../fields/columns/column-faults.ts";
import type { FieldOptions } from "../fields/field-options.ts";
import { keepOption, MOST_LINES, MOST_TEXTS } from "../fields/odd/suspects.ts";
import { showCount, showInteger } from "../model/counts.ts";
import type { RunEvent } from "../model/event.ts";
import { type Choice, RecPushError } from "../model/failure.ts";
import { isTabular, type Pin, type Reading } from "../model/reading.ts";
import { showText } from "../model/text.ts";
import type { SurveyedInput } from "./survey-input.ts";

/** The failure if an option names a column by its position, and the files have different names there. */
export function stopOnPositions(
  inputs: readonly SurveyedInput[],
  { map, drop, keep }: FieldOptions,
): RecPushError | undefined {
  const files = inputs
    .filter(({ report: { reading } }) => isTabular(reading.format) && !reading.headerless)
    .map(({ report }) => nameColumns(report.columns.map(({ header }) => header)));
  // A header that is the number itself takes precedence over the position.
  const namedBy = (reference: string): readonly string[] =>
    files
      .filter((columns) => !columns.some(({ name }) => name === reference))
      .flatMap((columns) => columns.filter(({ position }) => String(position) === reference))
      .map(({ normal }) => normal);
  const references = [...map.map(({ column }) => column), ...drop, ...keep];
  const position = references.find((reference) => new Set(namedBy(reference)).size > 1);
  if (position === undefined) return undefined;
  const text = `column ${position}, which options name by its position, has different names in the files; nothing was sent`;
  return new RecPushError("contradicting-options", text, {
    hint: "name it by its header, or push the files one after the other, each with options of its own",
  });
}

/** The reading of one input, and the options that were not given and had to be inferred for it. */
interface Inferences {
  readonly reading: Reading;
  readonly pins: readonly Pin[];
}

/** The failure if anything was inferred, for all inputs at once, with the options that would have settled it. */
export function stopOnInference(inputs: readonly Inferences[]): RecPushError | undefined {
  const lines = inputs.flatMap(({ reading, pins }) =>
    pins.map(({ option, because }) => `${reading.file}: ${option} is inferred (${because})`),
  );
  const [first] = lines;
  if (first === undefined) return undefined;
  const options = new Set(inputs.flatMap(({ pins }) => pins.map(({ option }) => option)));
  return new RecPushError(
    "inferred",
    lines.length === 1
      ? `--pinned: ${first}; nothing was sent`
      : `--pinned: ${lines.length} things are inferred; nothing was sent\n  ${lines.join("\n  ")}`,
    { options: [...options], hint: `if this is how the file is meant, add: ${[...options].join(" ")}` },
  );
}

/** What the user expects of each file, for example from a delivery note. */
export interface Expectations {
  /** Number of records, both ends included. */
  readonly rows?: { readonly least: number; readonly most: number };
  /** Sums by field, as wire amounts. */
  readonly sums?: ReadonlyMap<string, string>;
}

/** The failures for files that are not as expected; rows without a record are not counted. */
export function stopOnExpectations(
  inputs: readonly SurveyedInput[],
  { rows, sums = new Map() }: Expectations = {},
): readonly RecPushError[] {
  return inputs.flatMap((input) => [
    ...(rows === undefined ? [] : judgeRows(input, rows)),
    ...[...sums].flatMap(([field, sum]) => judgeSum(input, field, sum)),
  ]);
}

function judgeRows(
  input: SurveyedInput,
  { least, most }: NonNullable<Expectations["rows"]>,
): readonly RecPushError[] {
  const { counts } = input.report;
  const rows = counts.updates + counts.creates + counts.superseded;
  if (rows >= least && rows <= most) return [];
  const expected =
    least === most ? `${least}` : `${least === 0 ? "" : least}..${most === Infinity ? "" : most}`;
  const found = `${showCount(rows, "record")}${withoutInvalid(input)}`;
  return [unexpected(input, `${found}, and --expect-rows is ${expected}`, "--expect-rows")];
}

function judgeSum(input: SurveyedInput, field: string, expected: string): readonly RecPushError[] {
  if (input.figures === undefined) return [];
  const amounts = input.figures.filter(({ kind }) => kind === "amount");
  const column = amounts.find((one) => one.field === field);
  const name = showText(field);
  if (column?.sum === undefined) {
    const others = amounts.map((one) => showText(one.field)).join(", ");
    const text = `--expect-sum names ${name}, which has no sum; its amounts are ${others === "" ? "none" : others}`;
    return [unexpected(input, text, "--expect-sum")];
  }
  const apart = column.sum - parseSum(expected);
  if (apart === 0n) return [];
  const by = writeSum(apart < 0n ? -apart : apart);
  const text = `the sum of ${name} is ${writeSum(column.sum)} in ${showCount(column.filled, "amount")}${withoutInvalid(input)}, ${by} ${apart < 0n ? "less" : "more"} than --expect-sum ${expected}`;
  return [unexpected(input, text, "--expect-sum")];
}

function unexpected({ source: { name: file } }: SurveyedInput, text: string, option: string): RecPushError {
  return new RecPushError("unexpected-figures", `${file}: ${text}; nothing was sent`, {
    place: { file },
    hint: `check that the file is complete and the right one; if it is, correct ${option} (with several files it counts for each)`,
  });
}

function withoutInvalid({ report: { counts } }: SurveyedInput): string {
  const { invalid } = counts;
  return invalid === 0
    ? ""
    : ` (${showInteger(invalid)} invalid ${invalid === 1 ? "row" : "rows"} not counted)`;
}

/**
 * The failure if invalid rows stop the run; the first of them are reported before. With `stop` any invalid row does;
 * with `skip`, if all rows are invalid. Those that are left out are reported in the second pass.
 */
export function stopOnInvalidRows(
  inputs: readonly SurveyedInput[],
  onInvalid: "stop" | "skip",
  emit: (event: RunEvent) => void,
): RecPushError | undefined {
  const invalid = inputs.reduce((sum, { report }) => sum + report.counts.invalid, 0);
  if (invalid === 0) return undefined;
  const rows = inputs.reduce((sum, { report }) => sum + report.counts.rows, 0);
  if (onInvalid === "skip" && invalid < rows) return undefined;
  for (const input of inputs) tellInvalidRows(input, emit);
  if (onInvalid === "stop") {
    return new RecPushError("invalid-rows", `${ofRows(invalid, rows)}; nothing was sent`, {
      hint: "mend them in the file, or leave them out with --on-invalid skip",
      ...(askAboutOdd(inputs, invalid) ?? askToLeaveOut(invalid, rows)),
    });
  }
  return new RecPushError("all-rows-invalid", "every row is invalid; nothing was sent");
}

/** Reports the first invalid rows of an input, and how many there are of each problem. */
export function tellInvalidRows(
  { source: { name: file }, report }: SurveyedInput,
  emit: (event: RunEvent) => void,
): void {
  emit({ event: "problems", file, groups: report.groups, first: report.problems });
}

/** The questions to a person if nothing but odd rows is invalid. */
function askAboutOdd(
  inputs: readonly SurveyedInput[],
  invalid: number,
): { readonly choices: readonly Choice[] } | undefined {
  const open = inputs.flatMap(({ plan }) => plan.suspects?.open ?? []);
  const countOf = (kind: "totals" | "sparse"): number => open.reduce((sum, of) => sum + of[kind].rows, 0);
  if (countOf("totals") + countOf("sparse") < invalid) return undefined;
  const ask = (kind: "totals" | "sparse", one: string, several: string, keep: string): readonly Choice[] => {
    const rows = countOf(kind);
    if (rows === 0) return [];
    const lines = open.flatMap((of) => of[kind].lines).slice(0, MOST_LINES);
    const named = `${lines.join(", ")}${rows > lines.length ? " ..." : ""}`;
    const [what, them] =
      rows === 1
        ? [`line ${named} ${one}`, "it"]
        : [`${showCount(rows, "row")} ${several} (lines ${named})`, "them"];
    const answers = [`--${kind} skip`, ...(keep === "" ? [] : [keep])];
    const effects = [`yes, leave ${them} out`, `no, send ${them}`].slice(0, answers.length);
    return [{ question: `${what}: leave ${them} out?`, answers, effects }];
  };
  const texts = new Set(open.flatMap(({ totals }) => Array.from(totals.texts)));
  const keep = texts.size > MOST_TEXTS ? "" : [...texts].map(keepOption).join(" ");
  return {
    choices: [
      ...ask("totals", "looks like a total", "look like totals", keep),
      ...ask("sparse", "is unlike all others", "are unlike all others", "--sparse keep"),
    ],
  };
}

/** The question to a person whether the other rows are sent, if there are any. */
function askToLeaveOut(invalid: number, rows: number): { readonly choices?: readonly Choice[] } {
  if (invalid === rows) return {};
  const question = `${ofRows(invalid, rows)}: send the other ${showInteger(rows - invalid)}?`;
  const these = invalid === 1 ? "it is" : "they are";
  return {
    choices: [
      {
        question,
        answers: ["--on-invalid skip"],
        effects: [`yes: ${these} written to a file of rejects, to be mended and pushed`],
      },
    ],
  };
}

/** `1 of 1 row is invalid`, `2 of 1,203 rows are invalid` */
function ofRows(invalid: number, rows: number): string {
  return `${showInteger(invalid)} of ${showCount(rows, "row")} ${invalid === 1 ? "is" : "are"} invalid`;
}
