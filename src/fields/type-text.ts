import { type Cell, JsonNumber, UnusableCell } from "../model/rows.ts";
import { badOptionValue, quoteWord } from "../model/text.ts";
import { parsePivot, spellPivot } from "./date/calendar.ts";

/** The date formats that options accept, in the order of the help. */
const DATE_FORMATS = [
  "DD/MM/YYYY",
  "MM/DD/YYYY",
  "YYYY-MM-DD",
  "YY-MM-DD",
  "DDMMYYYY",
  "excel",
  "epoch",
  "epoch-ms",
] as const;

const TYPES =
  "text, text! (nothing in it is noted), digits, amount, amount:, (decimal comma), date, date:DD/MM/YYYY or date:45 (45 is 1945)";

/**
 * Reads a type as `--type` and the config write it: `text`, `amount:,`, `date:DD/MM/YYYY`. Throws a usage error.
 */
export function parseType(text: string, option: string): FieldType {
  const colon = text.indexOf(":");
  const kind = colon === -1 ? text : text.slice(0, colon);
  const detail = colon === -1 ? undefined : text.slice(colon + 1);
  if (text === "text!") return { kind: "text", isCertain: true };
  if (kind === "date") return detail === undefined ? { kind } : parseDate(detail, option);
  if (kind === "amount" && detail === undefined) return { kind };
  if (kind === "amount" && (detail === "." || detail === ",")) return { kind, decimal: detail };
  if ((kind === "text" || kind === "digits") && detail === undefined) return { kind };
  throw badOptionValue(option, text, TYPES);
}

/** Reads a date format in any case. Throws a usage error that lists the formats. */
export function parseDateFormat(text: string, option: string): DateFormat {
  const format = DATE_FORMATS.find((known) => known.toLowerCase() === text.trim().toLowerCase());
  if (format !== undefined) return format;
  throw badOptionValue(option, text, `one of ${DATE_FORMATS.join(", ")}`);
}

/** Reads `DD/MM/YYYY`, `45` or `DD/MM/YYYY:45`. */
function parseDate(detail: string, option: string): FieldType {
  const colon = detail.lastIndexOf(":");
  const pivotYear = parsePivot(detail.slice(colon + 1));
  if (pivotYear === undefined) return { kind: "date", format: parseDateFormat(detail, option) };
  if (colon === -1) return { kind: "date", pivotYear };
  return { kind: "date", format: parseDateFormat(detail.slice(0, colon), option), pivotYear };
}

/** True for a name that {@link parseDateFormat} accepts as it is. */
export function isDateFormat(text: string | undefined): text is DateFormat {
  return DATE_FORMATS.some((format) => format === text);
}

/** Writes a type in the form that {@link parseType} reads. */
export function spellType(type: FieldType): string {
  const parts: (string | undefined)[] = [type.kind];
  if (type.kind === "text" && type.isCertain === true) return "text!";
  if (type.kind === "amount") parts.push(type.decimal);
  if (type.kind === "date")
    parts.push(type.format, type.pivotYear === undefined ? undefined : spellPivot(type.pivotYear));
  return parts.filter((part) => part !== undefined).join(":");
}

/**
 * The type that combines two statements; `undefined` if they contradict each other. `date` and `date:DD/MM/YYYY` do not.
 */
export function combineTypes(left: FieldType, right: FieldType): FieldType | undefined {
  const both: FieldType = { ...left, ...right };
  const after = new Map<string, unknown>(Object.entries(both));
  return Object.entries(left).every(([part, value]) => after.get(part) === value) ? both : undefined;
}

/** Reads text as it is, never trimmed; numbers keep their source digits, JSON true and false stay as written. */
export function readText(cell: Cell): string | Unreadable {
  if (typeof cell === "string") return cell;
  if (cell instanceof JsonNumber) return cell.source;
  if (cell instanceof UnusableCell) return cell;
  return String(cell);
}

// Words that databases, programs and people write for "no value", without accents; in the languages of the dates. The last
// is what JavaScript writes for an object, in brackets.
const WORDS: ReadonlySet<string> = new Set(
  `null, nil, none, nan, nat, na, n/a, n.a., undefined, \\n, empty, blank, unknown, missing, tbd, tba, not available, not applicable,
  neant, aucun, aucune, vide, vides, inconnu, manquant, n.d., n/d, n.c., n/c, s.o., s/o, non renseigne, non defini,
  non disponible, non communique, a completer, a definir, a renseigner, sans objet,
  leer, keine, k.a., unbekannt, keine angabe, ninguno, ninguna, vacio, desconocido, en blanco,
  nessuno, nessuna, vuoto, sconosciuto, geen, leeg, nenhum, nenhuma, vazio, object object`.split(/,\s+/),
);

const LONGEST = 20;
/** Placeholders that people write before a value is known. */
const PLACEHOLDER = /^x{3,}$/;
const BRACKETED = /^(?:\((.+)\)|<(.+)>|\[(.+)\])$/;

/**
 * True for words that mean no value: `NULL`, `\N`, `<NA>`, `NaT`, `(vide)`, `néant`, `XXX`; and for text with neither letter
 * nor digit, such as `-` and `?`, unless it begins with `#`.
 */
export function isNoValue(text: string): boolean {
  if (/\d/.test(text)) return false;
  if (!/[\p{L}\p{N}]/u.test(text)) return text !== "" && !text.startsWith("#");
  if (text.length > LONGEST) return false;
  const inside = BRACKETED.exec(text);
  const word = inside === null ? text : (inside[1] ?? inside[2] ?? inside[3])!;
  const plain = word.trim().toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  // `N.A` is `n.a.`.
  return WORDS.has(plain) || WORDS.has(`${plain}.`) || PLACEHOLDER.test(plain);
}

/** Words that mean "no value" in a cell. */
export class NullWords {
  readonly #words: ReadonlySet<string>;
  /** By byte: 1 if the UTF-8 of one of the words begins with it. */
  readonly firstBytes = new Uint8Array(256);

  constructor(words: Iterable<string>) {
    this.#words = new Set(words);
    for (const word of this.#words) this.firstBytes[Buffer.from(word)[0] ?? 0] = 1;
  }

  get isEmpty(): boolean {
    return this.#words.size === 0;
  }

  has(text: string): boolean {
    return this.#words.has(text);
  }
}

/** The word in the form that list options want: commas inside it are escaped, and a shell reads it as one word. */
export function quoteListed(text: string): string {
  return quoteWord(text.replaceAll(",", String.raw`\,`));
}

/** A cell that cannot be read, with the option that settles it if it is a word for "no value". */
export function refuseText(text: string, reason: string): Unreadable {
  return isNoValue(text) ? { reason, hint: `--null ${quoteListed(text)}` } : { reason };
}

/** The hint for a cell that means "no value" in some programs and is a value in others. */
export function noValueHint(text: string): string {
  return `--null ${quoteListed(text)}, if it means no value in every column`;
}

/** A cell that is neither text nor a number. Odoo and PHP write false for no value. */
export function refuseOther(cell: unknown, kind: string): Unreadable {
  const reason = `${String(cell)} is not ${kind}`;
  return cell === false ? { reason, hint: noValueHint("false") } : { reason };
}

/**
 * A date format as `--date-format` and `--type field=date:FORMAT` name it. It fixes what is ambiguous: ISO dates and
 * named months are accepted as well.
 */
export type DateFormat = (typeof DATE_FORMATS)[number];

/** The type of a field, with the details that the user has pinned. */
export type FieldType =
  /** `isCertain`: text that looks like another type is not noted (`text!`). */
  | { readonly kind: "text"; readonly isCertain?: true }
  | { readonly kind: "digits" }
  /** `decimal`: the column's own mark (`amount:,`). */
  | { readonly kind: "amount"; readonly decimal?: "." | "," }
  /** `pivotYear`: the first of the hundred years that two digits stand for in this column (`date:45` is 1945). */
  | { readonly kind: "date"; readonly format?: DateFormat; readonly pivotYear?: number };

/** Settings that options fix for every column of a type. */
export interface FormatPins {
  readonly dateFormat?: DateFormat;
  readonly decimal?: "." | ",";
  /** IANA name of the zone for date-times that carry an offset: `Europe/Paris`. */
  readonly timeZone?: string;
  /** The first of the hundred years that two digits stand for: 1945. */
  readonly pivotYear?: number;
  /** Words that are keys although they do not look like one: `NA`, `-`. */
  readonly keyLiterals?: readonly string[];
}

/** A cell that has no certain reading: the reason, in one clause, and what settles it. */
export interface Unreadable {
  readonly reason: string;
  readonly hint?: string;
}

/** Converts a cell that is not blank to its wire string, or returns why that is not possible. */
export type ReadValue = (cell: Cell) => string | Unreadable;
