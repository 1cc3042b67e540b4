import { showCount } from "../../model/quantities.ts";
import type { Cell } from "../../model/row.ts";
import { quoteText } from "../../model/visible-text.ts";
import { findDamage, isCutNumber } from "../damage.ts";
import { quoteListed } from "../no-value.ts";
import { trimSpaces } from "../spaces.ts";
import { isFormulaText } from "../spreadsheet-text.ts";

type Kind = "error" | "noValue" | "false" | "formula" | "apostrophe" | "cut";

interface Seen {
  count: number;
  readonly first: string;
  /** The first lines where it occurs. */
  readonly lines: number[];
}

const MOST_LINES = 3;
const KINDS = ["error", "noValue", "false", "formula", "apostrophe", "cut"] as const;
/** What spreadsheets put before a number to keep it as text; `'t Hof` is a name. */
const KEPT_AS_TEXT = /^'[\d+\-=(@]/;

/** A sentence about a column. */
export interface ColumnNote {
  readonly text: string;
  readonly isAlwaysShown?: true;
}

// Only texts that no person would write: "None" and "-" may be ordinary words.
const NO_VALUE = /^(?:\\N|[([<]?null[)\]>]?|undefined|\[object Object\])$/i;
const LONGEST = "[object Object]".length;
const NO_NUMBER: ReadonlySet<string> = new Set(["NaN", "nan", "NaT", "<NA>"]);

/** Watches a text column for what spreadsheets and databases write in place of a value, in bounded memory. */
export class TextDamage {
  readonly #field: string;
  readonly #seen = new Map<Kind, Seen>();
  #hasTrue = false;

  constructor(field: string) {
    this.#field = field;
  }

  /** True if the column holds JSON's true: false is then a value too, and told of no more. */
  get hasTrue(): boolean {
    return this.#hasTrue;
  }

  add(cell: Cell, line: number): void {
    if (cell === true) this.#hasTrue = true;
    if (cell === false) this.#note("false", "false", line);
    if (typeof cell !== "string") return;
    const text = trimSpaces(cell);
    const kind = kindOf(text);
    if (kind !== undefined) this.#note(kind, text, line);
  }

  #note(kind: Kind, text: string, line: number): void {
    const seen = this.#seen.get(kind);
    if (seen === undefined) this.#seen.set(kind, { count: 1, first: text, lines: [line] });
    else {
      seen.count++;
      if (seen.lines.length < MOST_LINES) seen.lines.push(line);
    }
  }

  /**
   * One sentence for each kind that occurred; `hasTexts`: whether the column holds texts; `isCertain`: the user said that
   * signs of a spreadsheet are part of them.
   */
  notices(hasTexts: boolean, isCertain = false): ColumnNote[] {
    return KINDS.flatMap((kind) => {
      if (kind === "false" && (this.#hasTrue || !hasTexts)) return [];
      const isSign = kind === "formula" || kind === "apostrophe";
      const seen = this.#seen.get(kind);
      if (seen === undefined || (isSign && isCertain)) return [];
      const text = describe(kind, seen, this.#field);
      return [isSign ? { text, isAlwaysShown: true } : { text }];
    });
  }
}

/** The first character is enough to classify most text. */
function kindOf(text: string): Kind | undefined {
  const first = text.charCodeAt(0);
  if (first === 0x23) return findDamage(text) === undefined ? undefined : "error";
  if (first === 0x27) return KEPT_AS_TEXT.test(text) ? "apostrophe" : undefined;
  if (first === 0x3d) return isFormulaText(text) ? "formula" : undefined;
  if ((first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d)
    return isCutNumber(text) ? "cut" : undefined;
  return text.length <= LONGEST && (NO_NUMBER.has(text) || NO_VALUE.test(text)) ? "noValue" : undefined;
}

function describe(kind: Kind, { count, first, lines }: Seen, field: string): string {
  const more = count > lines.length ? " ..." : "";
  const cells =
    count === 1
      ? `line ${lines[0]} holds ${quoteText(first)}`
      : `${showCount(count, "cell")} hold ${quoteText(first)} or the like (lines ${lines.join(", ")}${more})`;
  const leftOut = `--null ${quoteListed(first)} leaves it out`;
  return `${cells}, sent as it is: ${adviceOn(kind, leftOut, field)}`;
}

function adviceOn(kind: Kind, leftOut: string, field: string): string {
  switch (kind) {
    case "error":
      return `a spreadsheet wrote it instead of a value; ${leftOut}`;
    case "noValue":
      return leftOut;
    case "false":
      return `Odoo writes it for no value; ${leftOut}, in every column`;
    case "formula":
      return `spreadsheets keep numbers this way; --type ${field}=digits sends the number inside, --type ${field}=text! says that it is meant`;
    case "apostrophe":
      return `a spreadsheet puts the apostrophe before a number to keep it as text; export the column without it, or --type ${field}=text! says that it is meant`;
    case "cut":
      return "a spreadsheet has cut it, its last digits are lost; export the column again as text";
  }
}
