import { columnLetters, isVisible, quoteText, quoteWord } from "../../model/text.ts";
import { type FailureCode, KINDS } from "../../model/failure-codes.ts";
import { RecPushError } from "../../model/failure.ts";
import { isMarkerColumn } from "../../model/marker-columns.ts";
import type { NestedValue } from "../../model/rows.ts";
import { trimSpaces } from "../spreadsheet-text.ts";
import type { FieldType } from "../type-text.ts";

/** Something about the columns that only the user can settle. */
export interface ColumnFault {
  /** `usage`: an option names what the file does not have; `input`: the file's columns leave a question open. */
  readonly code: FailureCode;
  readonly text: string;
  /** The line of the cell that is in question; without it, the question is about the columns. */
  readonly line?: number;
  /** Options to add, ready to paste. */
  readonly options?: readonly string[];
  /** If only the user can say: an option for each answer. */
  readonly answers?: readonly string[] | undefined;
  /** What each answer does. */
  readonly effects?: readonly string[] | undefined;
  /** Another way to settle it. */
  readonly remark?: string | undefined;
}

/** The fault of an option, and what to do about it. */
export function misuse(code: FailureCode, text: string, remark: string): ColumnFault {
  return { code, text, remark };
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
  /** True for JSON records one a line. */
  readonly isOneALine?: boolean;
  /** True for records inside the answer of a service, which has members beside them. */
  readonly isInAnswer?: boolean;
  /** Advice on other sheets that may be meant. */
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
  const ofUsage = faults.filter(({ code }) => KINDS[code] === "usage");
  const told = ofUsage.length > 0 ? ofUsage : faults;
  const options = [...new Set(told.flatMap((fault) => fault.options ?? []))];
  const remarks = [...new Set(told.flatMap((fault) => fault.remark ?? []))];
  const hint = [options.length > 0 ? [`add ${options.join(" ")}`] : [], remarks, aside ?? []]
    .flat()
    .join("\n");
  const texts = told.map((fault) => fault.text);
  const [first] = told;
  const line = first!.line ?? headerLine;
  const where = headerLine === undefined || line !== headerLine ? file : `${file}:${headerLine}`;
  const message =
    texts.length === 1 ? texts[0] : `${texts.length} questions about its ${noun}s\n  ${texts.join("\n  ")}`;
  return new RecPushError(first!.code, `${where}: ${message}`, {
    place: line === undefined ? { file } : { file, line },
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

/** Why only the user can say what the values of a column are. */
export interface TypeDoubt {
  readonly why: string;
  /** The types that it may be, as `--type` writes them, the most likely first. */
  readonly types: readonly string[];
  /** Words among the values that may mean "no value", if all other values fit. */
  readonly words: readonly string[];
}

/** The values of an undeclared column, seen by type. */
export interface ColumnLook {
  /** The type of all of its values; text if they have no other. */
  readonly kind: FieldType["kind"];
  readonly doubt: TypeDoubt | undefined;
  /** The kind of nested JSON value in the column, which cannot be sent to any field. */
  readonly nested: NestedValue["what"] | undefined;
  /** Rows that hold nothing but an object or array in this column. */
  readonly alone: number;
  /** The types that its values fit: most of them can be read as it, and all that hold a digit. */
  readonly fits: ReadonlySet<FieldType["kind"]>;
  readonly rows: number;
  /** Cells that are not empty. */
  readonly filled: number;
  /** Of a column that may be the key: cells whose value an earlier one has, where the whole rows differ. */
  readonly repeated: number;
  /** The first different values. */
  readonly samples: readonly string[];
  /** Words in it with which a database says that there is no value, as written. */
  readonly nullWords: readonly string[];
}

/** Describes the values of a column; `undefined` if its values were not seen. */
export type LookAt = (column: PlannedColumn) => ColumnLook | undefined;

/** A column and its use. */
export interface PlannedColumn extends ColumnName {
  /**
   * `nameless`: a used column without a name, so that all its cells must be empty; `undecided`: nothing says which
   * field it goes to, or that it is left out.
   */
  readonly use: "field" | "dropped" | "nameless" | "undecided";
  /** Set if `use` is `field`; otherwise the field that its header means or would become, if any. */
  readonly field: string | undefined;
  /** True if `--map` gave the field. */
  readonly isMapped: boolean;
  /** True if it is not declared, so that `--other-columns` decides, or a question stops the run. */
  readonly isOther: boolean;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** ASCII, as most names are: patterns that ask Unicode for the kind of a letter are compiled only for other names. */
const PRINTABLE = /^[ -~]*$/;
const LONGEST_NAME = 128;
/** Characters that separate cells and lines. */
const NO_NAME = /[;|"\p{Cc}\p{Zl}\p{Zp}]/u;

// Letters that Unicode does not decompose, with their spelling on keyboards that lack them.
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  œ: "oe",
  æ: "ae",
  ß: "ss",
  ø: "o",
  ł: "l",
  đ: "d",
  ı: "i",
};

/** A column as the file names it. */
export interface ColumnName {
  /** 0-based position; for JSON in order of appearance. */
  readonly index: number;
  /** 1-based, as options count it: the columns that a rejects file puts before those of its input are not counted. */
  readonly position: number;
  /** As the file has it. */
  readonly header: string;
  /** Without outer spaces; `""` for a column without a name. */
  readonly name: string;
  /** See {@link normaliseName}; `""` if the header has neither letter nor digit. */
  readonly normal: string;
}

/** Names the columns that come after those in `named`, by their headers. */
export function nameColumns(headers: readonly string[], named: readonly ColumnName[] = []): ColumnName[] {
  const last = named.at(-1);
  let position = last === undefined ? 1 : positionBehind(last);
  return headers.slice(named.length).map((header, at) => {
    const column = nameColumn(header, named.length + at, position);
    position = positionBehind(column);
    return column;
  });
}

/** Names one column by its header. */
export function nameColumn(header: string, index: number, position = index + 1): ColumnName {
  const name = trimSpaces(header);
  return { index, position, header, name, normal: normaliseName(name) };
}

function positionBehind({ header, position }: ColumnName): number {
  return isMarkerColumn(header) ? position : position + 1;
}

/** Keeps only the letters and digits of a name: case, accents, spaces and punctuation are removed. */
export function normaliseName(name: string): string {
  if (PRINTABLE.test(name)) return name.toLowerCase().replace(/[^a-z0-9]+/g, "");
  return plainLetters(name).replace(/[^\p{L}\p{N}]+/gu, "");
}

/** True for a valid field name: `[A-Za-z_][A-Za-z0-9_]*`. */
export function isIdentifier(name: string): boolean {
  return IDENTIFIER.test(name);
}

/**
 * Makes an identifier from a column's name: `Order No` becomes `order_no`, `SIRET` `siret`. `undefined` if
 * only digits would be left, if letters would be lost, or if the name looks like part of a torn table.
 */
export function makeIdentifier(name: string): string | undefined {
  if (isIdentifier(name)) return name.toLowerCase();
  if (name.length > LONGEST_NAME || NO_NAME.test(name)) return undefined;
  const letters = plainLetters(name);
  if (!/[a-z]/.test(letters) || /[^a-z\P{L}]/u.test(letters)) return undefined;
  const words = letters.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  return words.replace(/^(?=\d)/, "_");
}

/** Makes a free field name from a header: `Montant HT (€)` becomes `montant_ht`; `column_3` if no name can be made of it. */
export function suggestField({ position, name }: ColumnName, taken: ReadonlySet<string>): string {
  const field = makeIdentifier(name) ?? `column_${position}`;
  let free = field;
  for (let number = 2; taken.has(free); number++) free = `${field}_${number}`;
  return free;
}

/** Groups things by key, in the order in which keys are first met. Map.groupBy needs a newer Node than the oldest one supported. */
export function groupBy<T, K>(things: readonly T[], keyOf: (thing: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const thing of things) {
    const key = keyOf(thing);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [thing]);
    else group.push(thing);
  }
  return groups;
}

/** Lower case without accents; ligatures are spelt out. */
export function plainLetters(text: string): string {
  if (PRINTABLE.test(text)) return text.toLowerCase();
  return (
    text
      // Sorting accents takes time that grows with the square of their number, and there may be thousands.
      .replace(/\p{M}+/gu, "")
      .normalize("NFKD")
      .replace(/\p{M}+/gu, "")
      .toLowerCase()
      .replace(/[œæßøłđı]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
  );
}

const MOST_LISTED = 5;

/** Lists the first of many things, and says how many others there are. */
export function listSome(things: readonly string[], separator = ", "): string {
  const more = things.length - MOST_LISTED;
  if (more <= 1) return things.join(separator);
  return `${things.slice(0, MOST_LISTED).join(separator)} and ${more} others`;
}
