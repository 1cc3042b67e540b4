import { parseDecimal, subtract, writeDecimal } from "../fields/amount/amount-sum.ts";
import { RecPushError } from "../model/failure.ts";
import { showCount, showInteger } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";
import type { SurveyedInput } from "./survey-input.ts";

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
  return [
    unexpected("unexpected-rows", input, `${found}, and --expect-rows is ${expected}`, "--expect-rows"),
  ];
}

function judgeSum(input: SurveyedInput, field: string, expected: string): readonly RecPushError[] {
  const { figures, source } = input;
  if (figures === undefined) return [];
  const name = showText(field);
  const column = figures.find((one) => one.field === field);
  if (column === undefined) {
    const amounts = figures.filter(({ kind }) => kind === "amount").map((one) => showText(one.field));
    const others = amounts.length === 0 ? "it has no amounts" : `its amounts are ${amounts.join(", ")}`;
    const text = `no column goes to ${name}, which --expect-sum names; ${others}`;
    return [unexpected("unexpected-sum", input, text, "--expect-sum")];
  }
  if (column.kind !== "amount") {
    return [
      new RecPushError(
        "usage",
        "wrong-usage",
        `--expect-sum ${name}: in ${source.name} its values are ${column.kind === "date" ? "dates" : column.kind}, and only amounts are added up`,
        { hint: `--type ${name}=amount reads them as amounts` },
      ),
    ];
  }
  if (column.sum === undefined) {
    const text = `the sum of ${name} is not known, because an amount has more than thirty decimals`;
    return [unexpected("unexpected-sum", input, text, "--expect-sum")];
  }
  const apart = subtract(column.sum, parseDecimal(expected));
  if (apart.units === 0n) return [];
  const by = writeDecimal({ ...apart, units: apart.units < 0n ? -apart.units : apart.units });
  const text = `the sum of ${name} is ${writeDecimal(column.sum)} in ${showCount(column.filled, "amount")}${withoutInvalid(input)}, ${by} ${apart.units < 0n ? "less" : "more"} than --expect-sum ${expected}`;
  return [unexpected("unexpected-sum", input, text, "--expect-sum")];
}

function unexpected(
  code: "unexpected-rows" | "unexpected-sum",
  { source: { name: file } }: SurveyedInput,
  text: string,
  option: string,
): RecPushError {
  return new RecPushError("input", code, `${file}: ${text}; nothing was sent`, {
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
