import type { FailureCode } from "../../model/failure-codes.ts";
import type { AmountEvidence } from "./amount-evidence.ts";
import { AmountScan, scanAmount } from "./amount-scan.ts";
import { writeUnder } from "./amount.ts";
import { ANY_MARK, COMMA, DOT, isSingleMark, markName } from "./decimal-mark.ts";
import { showExample } from "../survey/example.ts";
import { spellType } from "../type-text.ts";
import { nameColumns, type ColumnDoubt, type TypedColumn } from "../survey/typed-column.ts";
import type { SettledFormat } from "../survey/settled-format.ts";

/** A column of amounts with its evidence. */
export interface AmountColumn {
  readonly column: TypedColumn;
  readonly evidence: AmountEvidence;
}

const DECIMAL_OPTIONS = ["--decimal ,", "--decimal ."];

/** The mark that the amount columns of a file with a certain one have in common. */
export interface AgreedMark {
  /** 0 where they differ, any where there is none. */
  readonly marks: number;
  readonly settledBy: string;
}

/** What the columns that need no other say about those that do. */
export function agreeOnMark(all: readonly AmountColumn[]): AgreedMark {
  const certain = all.filter(({ evidence }) => isSingleMark(evidence.marks));
  return {
    marks: certain.reduce((open, { evidence }) => open & evidence.marks, ANY_MARK),
    settledBy: nameColumns(certain),
  };
}

/** Settles one column: by its pin, by its own cells, else by the other amount columns of the file. */
export function settleAmounts(amounts: AmountColumn, others: AgreedMark): SettledFormat | ColumnDoubt {
  const { column, evidence } = amounts;
  const doubt = doubtCurrency(amounts);
  if (doubt !== undefined) return doubt;
  const mark = evidence.pinned === ANY_MARK ? settleMark(amounts, others) : pinnedMark(amounts);
  if ("code" in mark) return mark;
  const { marks, settledBy, inferred } = mark;
  const tooFine = isSingleMark(marks) ? evidence.tooFine(marks) : undefined;
  if (tooFine !== undefined) {
    const text = `${showExample(tooFine)} has more than ${evidence.scale} decimals with the ${markName(marks)}, settled by ${settledBy}`;
    const options = [`--type ${column.field}=amount`];
    return { code: "too-many-decimals", column, line: tooFine.line, text, options, commonOptions: [] };
  }
  const { scale } = evidence;
  const spec = { kind: "amount", marks, scale, isWatchingCurrency: false, field: column.field } as const;
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

function settleMark(amounts: AmountColumn, others: AgreedMark): SettledMark | ColumnDoubt {
  const { evidence } = amounts;
  const { marks, ambiguous } = evidence;
  if (marks === 0) return doubtContradiction(amounts);
  const proof = evidence.excluding(ANY_MARK & ~marks);
  if (proof !== undefined) return { marks, settledBy: showExample(proof), inferred: true };
  if (ambiguous === undefined) return { marks, settledBy: undefined, inferred: false };
  if (isSingleMark(others.marks)) return { ...others, inferred: true };
  const text = `${showExample(ambiguous)} is ${readUnder(ambiguous.value, DOT)} or ${readUnder(ambiguous.value, COMMA)}`;
  const doubt = doubtMark("ambiguous-amount", amounts, ambiguous.line, text);
  return others.marks === 0 ? { ...doubt, options: ownMarks(amounts), commonOptions: [] } : doubt;
}

/** Where the other columns disagree, one mark for all of them would be wrong. */
function ownMarks({ column, evidence }: AmountColumn): string[] {
  const scale = evidence.scale === undefined ? {} : { scale: evidence.scale };
  return ([",", "."] as const).map(
    (decimal) => `--type ${column.field}=${spellType({ kind: "amount", ...scale, decimal })}`,
  );
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
  const text = `${point && showExample(point)} has a decimal point and ${comma && showExample(comma)} a decimal comma`;
  return doubtMark("contradicting-amounts", amounts, Math.min(...examples.map(({ line }) => line)), text);
}

function doubtMark(code: FailureCode, { column }: AmountColumn, line: number, text: string): ColumnDoubt {
  return { code, column, line, text, options: DECIMAL_OPTIONS, commonOptions: DECIMAL_OPTIONS };
}

function doubtCurrency({ column, evidence }: AmountColumn): ColumnDoubt | undefined {
  const seen = [...evidence.currencies].sort(
    ([, one], [, other]) => one.line - other.line || (one.value < other.value ? -1 : 1),
  );
  const [first, second] = seen;
  if (first === undefined || second === undefined) return undefined;
  const text = `${showExample(first[1])} is in ${first[0]} and ${showExample(second[1])} in ${second[0]}, and the service gets no currency`;
  const options = [`--type ${column.field}=text`];
  return { code: "two-currencies", column, line: second[1].line, text, options, commonOptions: [] };
}
