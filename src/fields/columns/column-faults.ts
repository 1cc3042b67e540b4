import { columnLetters } from "../../model/cell-name.ts";
import type { FailureCode } from "../../model/failure-codes.ts";
import { RecPushError } from "../../model/failure.ts";
import type { ColumnName } from "./column-names.ts";
import { quoteWord } from "../../model/shell-word.ts";
import { isVisible, quoteText } from "../../model/visible-text.ts";

/** Something about the columns that only the user can settle. */
export interface ColumnFault {
  /** `usage`: an option names what the file does not have; `input`: the file's columns leave a question open. */
  readonly kind: "usage" | "input";
  readonly code: FailureCode;
  readonly text: string;
  /** Options to add, ready to paste. */
  readonly options?: readonly string[];
  /** If only the user can say: an option for each answer. */
  readonly answers?: readonly string[];
  /** What each answer does. */
  readonly effects?: readonly string[] | undefined;
  /** Another way to settle it. */
  readonly remark?: string | undefined;
}

/** Where the columns come from, for messages and for the position in the error. */
export interface ColumnsPlace {
  readonly file: string;
  readonly headerLine: number | undefined;
  /** True for columns without names: they are called 1, 2, ... and can only be named by position. */
  readonly isHeaderless: boolean;
  /** The word for a column in messages; JSON members have no position. */
  readonly noun: "column" | "member";
  /** True for the columns of a sheet, which have letters. */
  readonly isSheet: boolean;
  /** True for records inside an answer: an option may name one of its members too. */
  readonly isInAnswer?: boolean;
  /** True for JSON records one a line. */
  readonly isOneALine?: boolean;
  /** What to say of other sheets that may be meant. */
  readonly aside?: string | undefined;
}

/**
 * All faults as one error, so that one correction of the command settles them all; options that name nothing come
 * first.
 */
export function faultsError(
  faults: readonly ColumnFault[],
  { file, headerLine, noun, aside }: ColumnsPlace,
): RecPushError {
  const ofUsage = faults.filter((fault) => fault.kind === "usage");
  const told = ofUsage.length > 0 ? ofUsage : faults;
  const options = [...new Set(told.flatMap((fault) => fault.options ?? []))];
  const remarks = [...new Set(told.flatMap((fault) => fault.remark ?? []))];
  const hint = [options.length > 0 ? [`add ${options.join(" ")}`] : [], remarks, aside ?? []]
    .flat()
    .join("\n");
  const texts = told.map((fault) => fault.text);
  const where = headerLine === undefined ? file : `${file}:${headerLine}`;
  const message =
    texts.length === 1 ? texts[0] : `${texts.length} questions about its ${noun}s\n  ${texts.join("\n  ")}`;
  return new RecPushError(told[0]!.kind, told[0]!.code, `${where}: ${message}`, {
    place: headerLine === undefined ? { file } : { file, line: headerLine },
    ...(hint === "" ? {} : { hint }),
    options,
    choices: told.some(({ options: ready, answers }) => ready === undefined && answers === undefined)
      ? undefined
      : told.flatMap(({ text, answers, effects }) =>
          answers === undefined ? [] : { question: text, answers, effects },
        ),
  });
}

/** A column in a message: `column 3 "Order No"`, `column 3 (C) "Order No"` of a sheet, `member "Order No"`. */
export function showColumn({ index, name }: ColumnName, { noun, isSheet }: ColumnsPlace): string {
  if (noun === "member") return `member ${quoteText(name)}`;
  const column = `column ${index + 1}${isSheet ? ` (${columnLetters(index + 1)})` : ""}`;
  return name === "" ? `${column} (no name)` : `${column} ${quoteText(name)}`;
}

/** How an option names a column of an input. */
export type ReferTo = (column: ColumnName) => string;

/** A name that every shell leaves unchanged between double quotes. */
const PASTES = /^[^"$`\\!%^-][^"$`\\!%^]*$/;

/** By its header if that can be pasted into any shell and means only this column; otherwise by position. */
export function referToColumns(
  columns: readonly ColumnName[],
  { noun }: Pick<ColumnsPlace, "noun">,
): ReferTo {
  const counts = new Map<string, number>();
  for (const { name } of columns) counts.set(name, (counts.get(name) ?? 0) + 1);
  const normals = new Set(columns.map(({ normal }) => normal));
  return (column) => {
    const position = String(column.position);
    const isAlone = counts.get(column.name) === 1;
    const isPasted = isVisible(column.name) && PASTES.test(column.name);
    // A header that is a number takes precedence over a position.
    const isUsable = column.name !== "" && isAlone && (isPasted || normals.has(position));
    return isUsable || noun === "member" ? column.name : position;
  };
}

/** `--map "Order No=order_no"`, ready to paste. */
export function mapOption(reference: string, field: string): string {
  return `--map ${quoteWord(`${reference}=${field}`)}`;
}

/** `--drop remarks`, ready to paste; a comma in the name is escaped, because it would separate two names. */
export function dropOption(reference: string): string {
  return `--drop ${quoteWord(reference.replaceAll(",", "\\,"))}`;
}
