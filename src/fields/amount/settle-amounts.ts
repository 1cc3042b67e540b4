import type { FailureCode } from "../../model/failure-codes.ts";
import { showExample } from "../survey/example.ts";
import type { SettledFormat } from "../survey/settled-format.ts";
import type { ColumnDoubt, TypedColumn } from "../survey/typed-column.ts";
import { spellType } from "../type-text.ts";
import { type AmountEvidence, type LoneGroup, writeUnder } from "./amount-evidence.ts";
import {
  AmountScan,
  ANY_MARK,
  COMMA,
  DOT,
  isSingleMark,
  markName,
  markSign,
  scanAmount,
} from "./amount-scan.ts";

/** A column of amounts with its evidence. */
export interface AmountColumn {
  readonly column: TypedColumn;
  readonly evidence: AmountEvidence;
}

const MARKS = [COMMA, DOT] as const;

/** Settles one column: by its pin, else by its own cells; other columns may be written otherwise. */
export function settleAmounts(amounts: AmountColumn): SettledFormat | ColumnDoubt {
  const { column, evidence } = amounts;
  const doubt = doubtCurrency(amounts);
  if (doubt !== undefined) return doubt;
  const mark = evidence.pinned === ANY_MARK ? settleMark(amounts) : pinnedMark(amounts);
  if ("code" in mark) return mark;
  const { marks, settledBy, inferred } = mark;
  const tooFine = isSingleMark(marks) ? evidence.tooFine(marks) : undefined;
  if (tooFine !== undefined) {
    const text = `${showExample(tooFine)} has more than ${evidence.scale} decimals with the ${markName(marks)}, settled by ${settledBy}`;
    const options = [`--type ${column.field}=amount`];
    return { code: "too-many-decimals", column, line: tooFine.line, text, options };
  }
  const { scale } = evidence;
  const spec = { kind: "amount", marks, scale, field: column.field } as const;
  return { format: isSingleMark(marks) ? markName(marks) : undefined, settledBy, inferred, spec };
}

interface SettledMark {
  readonly marks: number;
  readonly settledBy: string | undefined;
  readonly inferred: boolean;
}

function pinnedMark({ column, evidence }: AmountColumn): SettledMark {
  const isOwn = column.type.kind === "amount" && column.type.decimal !== undefined;
  return { marks: evidence.pinned, settledBy: isOwn ? "--type" : "--decimal", inferred: false };
}

function settleMark(amounts: AmountColumn): SettledMark | ColumnDoubt {
  const { evidence } = amounts;
  const { marks, groups } = evidence;
  if (marks === 0) return doubtContradiction(amounts);
  const proof = evidence.excluding(ANY_MARK & ~marks);
  if (proof !== undefined) {
    const lone = groups.doubtUnder(marks);
    if (lone !== undefined) return doubtLoneGroup(lone, amounts);
    return { marks, settledBy: showExample(proof), inferred: true };
  }
  const [ambiguous] = groups.ambiguous;
  if (ambiguous === undefined) return { marks, settledBy: undefined, inferred: false };
  const readings = groups.ambiguous.map(
    (example) =>
      `${showExample(example)} is ${MARKS.map((mark) => readUnder(example.value, mark)).join(" or ")}`,
  );
  return doubtMark("ambiguous-amount", amounts, ambiguous.line, readings.join(", and "));
}

function ownMark({ column, evidence }: AmountColumn, mark: number): string {
  const scale = evidence.scale === undefined ? {} : { scale: evidence.scale };
  return `--type ${column.field}=${spellType({ kind: "amount", ...scale, decimal: markSign(mark) })}`;
}

function doubtLoneGroup({ lone, against, isUngrouped }: LoneGroup, amounts: AmountColumn): ColumnDoubt {
  const mark = amounts.evidence.marks;
  const [grouped, decimal] = [mark, ANY_MARK & ~mark].map((under) => readUnder(lone.value, under));
  const why =
    against === undefined
      ? "no other cell of the column groups by its sign"
      : `${showExample(against)} ${isUngrouped ? "has four digits without a group" : "groups otherwise"}`;
  const text = `${showExample(lone)} is ${grouped} or ${decimal}, and ${why}`;
  const written = lone.value.replace(/[.,]/, markSign(mark));
  const options = [`${ownMark(amounts, mark)} reads ${grouped}; for ${decimal} write ${written} in the file`];
  return { code: "lone-group", column: amounts.column, line: lone.line, text, options };
}

function readUnder(value: string, mark: number): string {
  const scan = new AmountScan();
  scanAmount(value, scan);
  const amount = writeUnder(mark, scan, undefined);
  return typeof amount === "string" ? amount : value;
}

function doubtContradiction(amounts: AmountColumn): ColumnDoubt {
  const point = amounts.evidence.excluding(COMMA);
  const comma = amounts.evidence.excluding(DOT);
  const examples = [point, comma].filter((example) => example !== undefined);
  const text = `${point && showExample(point)} has a decimal point and ${comma && showExample(comma)} a decimal comma; whichever is named, rows with the other are invalid`;
  return doubtMark("contradicting-amounts", amounts, Math.min(...examples.map(({ line }) => line)), text);
}

function doubtMark(code: FailureCode, amounts: AmountColumn, line: number, text: string): ColumnDoubt {
  const options = MARKS.map((mark) => ownMark(amounts, mark));
  return { code, column: amounts.column, line, text, options };
}

function doubtCurrency({ column, evidence }: AmountColumn): ColumnDoubt | undefined {
  const seen = [...evidence.currencies].sort(
    ([, one], [, other]) => one.line - other.line || (one.value < other.value ? -1 : 1),
  );
  const [first, second] = seen;
  if (first === undefined || second === undefined) return undefined;
  const text = `${showExample(first[1])} is in ${first[0]} and ${showExample(second[1])} in ${second[0]}, and the service gets no currency`;
  const options = [`--type ${column.field}=text`];
  return { code: "two-currencies", column, line: second[1].line, text, options };
}
