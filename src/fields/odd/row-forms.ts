import type { NullWords } from "../type-text.ts";
import { isDigit, ShapeTable } from "../../kernel/shapes.ts";
import {
  type Cell,
  cellOf,
  type CellSpans,
  ESCAPED,
  NestedValue,
  NO_TEXT,
  type Row,
} from "../../model/rows.ts";
import { scanAmount } from "../amount/amount.ts";
import { MONTH_NAMES, monthOf } from "../date/calendar.ts";
import { scanDate, ScannedDate } from "../date/date.ts";
import { isAsciiLetter, isPlainText } from "../plain-texts.ts";
import { cellText, trimSpaces } from "../spreadsheet-text.ts";

/**
 * The classes of cells: nothing, a text, a code (a word with a digit), a number, a date, a rule (nothing but dashes and the
 * like), or an object of JSON. One letter each, so that those of a row make a form.
 */
export const [EMPTY, TEXT, CODE, NUMBER, DATE, RULE, NESTED] = [" ", "t", "c", "n", "d", "r", "o"] as const;
const [EMPTY_BYTE, TEXT_BYTE, CODE_BYTE] = [EMPTY, TEXT, CODE].map(byteOf) as [number, number, number];

/** A row as the rule of odd rows sees it; rows that are alike here are judged alike. */
export interface RowForm {
  /** The classes of its cells, up to the last filled one. */
  readonly cells: string;
  /** Whether its key, and its first text, is a total's phrase or holds the word of one. */
  readonly key: Naming;
  readonly text: Naming;
  /** True if it is the first row, and its cells are the numbers of the columns. */
  readonly isNumbering: boolean;
}

/** The rows of one form. */
export interface CountedForm {
  readonly form: RowForm;
  /** The name of the form in the result of a survey. */
  readonly name: string;
  readonly count: number;
}

/** The columns of an input, as far as they matter for the forms of its rows. */
export interface FormColumns {
  readonly width: number;
  /** The column of the key. */
  readonly key: number | undefined;
  /** By column: the words that mean "no value", if there are any. */
  readonly nullsAt: readonly (NullWords | undefined)[];
}

const HAS_DIGIT = /\d/;
const RULES = /^[\s\-=_*~#+.·–—|]+$/;
/** A day in three numbers, which counts as a date even if the calendar does not have it. */
const DAY = /^(?:\d{1,2}([/.\- ])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([/.-])\d{1,2}\2\d{1,2})$/;
/** The longest cells whose shapes are learnt: numbers, dates, codes. */
const LONGEST = 32;
const [BLANK, OPENING_BRACKET, OPENING_BRACE] = [0x20, 0x5b, 0x7b];
const NAMINGS: readonly Naming[] = ["none", "name", "phrase"];
/** The fewest columns of a row that numbers them. */
const LEAST_NUMBERED = 4;
/** In the name of a form: the first row numbers the columns. */
const NUMBERING = 9;
const FIRST_FACTS = 0x30;
const FIRST_CELLS = 64;

/** Finds the forms of the rows of one input, and counts them, without making a text for each row. */
export class RowForms {
  /** The classes of cells with a digit. */
  readonly #shapes = new ShapeTable();
  /** By column: the shape of its last cell that has one. */
  readonly #last: number[] = [];
  /** The namings of texts. */
  readonly #names = new ShapeTable();
  /** Of the last row: the classes of its cells, up to the last filled one, and its other facts. */
  #cells: Buffer = Buffer.alloc(FIRST_CELLS);
  #length = 0;
  #facts = 0;
  #isFirst = true;
  readonly #counted = new Map<string, CountedForm & { count: number }>();

  /** Reads the next row. False for a row that holds nothing but a key. */
  look(row: Row, { key, nullsAt }: FormColumns): boolean {
    const { spans, firstCell, width } = row;
    let filled = 0;
    let text = -1;
    let hasKey = false;
    this.#length = 0;
    for (let column = 0; column < width; column++) {
      const byte = this.#ofSpan(spans, firstCell + column, column, nullsAt[column]);
      if (byte === EMPTY_BYTE) continue;
      this.#put(column, byte);
      filled++;
      hasKey ||= column === key;
      if (text === -1 && (byte === TEXT_BYTE || byte === CODE_BYTE)) text = column;
    }
    if (filled === 0 || (filled === 1 && hasKey)) return false;
    const textNaming = text === -1 ? 0 : this.#namingOf(row, text);
    const keyNaming = !hasKey ? 0 : key === text ? textNaming : this.#namingOf(row, key!);
    const isNumbers = this.#isFirst && filled >= LEAST_NUMBERED && isNumbering(row, this.#length);
    this.#isFirst = false;
    this.#facts = keyNaming + 3 * textNaming + (isNumbers ? NUMBERING : 0);
    return true;
  }

  /** The name of the last row's form. */
  get name(): string {
    // The facts are behind the cells: one text is made faster than two.
    this.#cells[this.#length] = FIRST_FACTS + this.#facts;
    return this.#cells.toString("latin1", 0, this.#length + 1);
  }

  /** The last row's form. */
  get form(): RowForm {
    const facts = this.#facts;
    return {
      cells: this.#cells.toString("latin1", 0, this.#length),
      key: NAMINGS[facts % 3]!,
      text: NAMINGS[Math.floor(facts / 3) % 3]!,
      isNumbering: facts >= NUMBERING,
    };
  }

  /** Counts the last row; returns how many forms there are so far. */
  count(): number {
    const { name } = this;
    const counted = this.#counted.get(name);
    if (counted === undefined) this.#counted.set(name, { form: this.form, name, count: 1 });
    else counted.count++;
    return this.#counted.size;
  }

  /** The forms that were counted. */
  get counted(): readonly CountedForm[] {
    return [...this.#counted.values()];
  }

  /** Forgets some forms. */
  forget(forms: readonly CountedForm[]): void {
    for (const { name } of forms) this.#counted.delete(name);
  }

  /** The class of a stretch of bytes, as a byte. */
  #ofSpan(spans: CellSpans, cell: number, column: number, nulls: NullWords | undefined): number {
    const start = spans.starts[cell]!;
    const end = spans.ends[cell]!;
    if (start >= end) return EMPTY_BYTE;
    const { bytes } = spans;
    const first = bytes[start]!;
    const mark = spans.marks[cell]!;
    const isNested = (mark & NO_TEXT) !== 0 && (first === OPENING_BRACE || first === OPENING_BRACKET);
    const isPlain = (mark & ESCAPED) === 0 && !isNested && first > BLANK && bytes[end - 1]! > BLANK;
    if (!isPlain || (nulls !== undefined && nulls.firstBytes[first] !== 0))
      return this.#ofCell(spans.value(cell), nulls);
    // Most cells are of the shape of the one above.
    const last = this.#last[column] ?? 0;
    if (last !== 0 && this.#shapes.isOf(last, bytes, start, end)) return this.#shapes.learnt(last);
    if (isAsciiLetter(first) && !holdsDigit(bytes, start, end)) return TEXT_BYTE;
    const shape = end - start > LONGEST ? 0 : this.#shapes.find(0, true, bytes, start, end);
    if (shape === 0) return this.#learn(spans.text(cell));
    this.#last[column] = shape;
    return this.#shapes.learnt(shape);
  }

  #ofCell(cell: Cell, nulls: NullWords | undefined): number {
    if (cell === undefined || cell === null) return EMPTY_BYTE;
    if (cell instanceof NestedValue) return byteOf(cell.what === "object" ? NESTED : TEXT);
    const whole = cellText(cell) ?? "";
    const text = trimSpaces(whole);
    return nulls?.has(whole) === true || nulls?.has(text) === true ? EMPTY_BYTE : this.#ofText(text);
  }

  /**
   * Learns the class of cells that differ from a text in digits only, where these do not matter: the text begins with a
   * word with which no date begins, or it has no letter, or each time its month is read.
   */
  #learn(text: string): number {
    const found = this.#ofText(trimSpaces(text));
    const isPlain = HAS_DIGIT.test(text) && isPlainText(text);
    const areAlike = isPlain || (found !== TEXT_BYTE && found !== EMPTY_BYTE && !/\p{L}/u.test(text));
    if (areAlike && text.length <= LONGEST) this.#shapes.learn(0, true, text, found);
    return found;
  }

  #ofText(text: string): number {
    if (text === "") return EMPTY_BYTE;
    if (!HAS_DIGIT.test(text)) return byteOf(RULES.test(text) ? RULE : TEXT);
    if (!isPlainText(text)) {
      if (DAY.test(text)) return byteOf(DATE);
      if (typeof scanAmount(text) !== "string") return byteOf(NUMBER);
      if (scanDate(text) instanceof ScannedDate) return byteOf(DATE);
    }
    return byteOf(/\s/.test(text) ? TEXT : CODE);
  }

  /** The number for a cell's naming of its row. */
  #namingOf(row: Row, column: number): number {
    const { spans, firstCell } = row;
    const cell = firstCell + column;
    if ((spans.marks[cell]! & ESCAPED) !== 0) return NAMINGS.indexOf(nameOf(textAt(row, column)));
    const { bytes, starts, ends } = spans;
    const [start, end] = [starts[cell]!, ends[cell]!];
    if (!mayName(bytes, start, end)) return 0;
    const shape = this.#names.find(0, true, bytes, start, end);
    if (shape !== 0) return this.#names.learnt(shape);
    const text = spans.text(cell);
    const naming = NAMINGS.indexOf(nameOf(text));
    this.#names.learn(0, true, text, naming);
    return naming;
  }

  #put(column: number, byte: number): void {
    if (column + 1 >= this.#cells.length) this.#cells = Buffer.concat([this.#cells], 2 * (column + 2));
    if (column > this.#length) this.#cells.fill(EMPTY, this.#length, column);
    this.#cells[column] = byte;
    this.#length = Math.max(this.#length, column + 1);
  }
}

/** The text of a cell, without outer spaces. */
export function textAt(row: Row, column: number): string {
  return trimSpaces(cellText(cellOf(row, column)) ?? "");
}

function byteOf(letter: string): number {
  return letter.charCodeAt(0);
}

function holdsDigit(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isDigit(bytes[at]!)) return true;
  return false;
}

function isNumbering(row: Row, width: number): boolean {
  for (let column = 0; column < width; column++) {
    const text = textAt(row, column).replace(/^\((.*)\)$/, "$1");
    if (text !== "" && text !== String(column + 1)) return false;
  }
  return true;
}

/** The naming of a row by a text: none, the name of a total within it, or nothing but that name. */
type Naming = "none" | "name" | "phrase";

/** Words that name a total or a balance: French, English, German, then Italian, Spanish, Portuguese and Dutch. */
const HEADS = words(`
  total totaux totale soustotal solde soldes somme cumul cumule report reporter nouveau recap recapitulatif ensemble
  encours restant reste resultat marge ecart arrondi moyenne tva ttc nombre nb tot
  totals subtotal subtotals balance sum count average durchschnitt mittelwert gemiddelde vat overall
  gesamt gesamtsumme gesamtbetrag summe endsumme endbetrag endstand endsaldo anfangssaldo schlusssaldo zwischensumme
  kontostand kontosaldo saldo steuerbetrag mwst ust ubertrag anzahl
  totali totales saldi somma suma soma media promedio riporto iva btw totaal totaalbedrag eindtotaal subtotaal subtotale eindsaldo beginsaldo`);

/** Words that may stand beside such a word without a meaning of their own. */
const MODIFIERS = words(`
  general generale generaux generales geral grand gesamte page pages journal compte comptes client clients clientes cliente
  fournisseur facture factures facturee facturas fatture fattura factura commande commandes pedido vente ventes achats
  mouvement mouvements movimientos operation operations ecriture ecritures ligne lignes enregistrements article articles
  periode mois annee annuel annuelle exercice semaine jour trimestre ca chiffre affaires
  final finale initial initiale iniziale ancien ancienne nouvelle debut fin cloture ouverture precedent progressif
  progressivo comptable disponible debit credit debits credits crediteur debiteur net nets brut brute ht hors taxe taxes
  du dus dues payer paye regle regler remise remises montant montants dont soit
  invoice invoices order orders sales rows row line lines records period year week day quarter opening closing beginning
  ending current available running brought carried forward start end gross tax amount amounts due including incl
  neu neuer alter alt alte soll haben netto nett brutto betrag rechnung rechnungen zzgl
  anterior inicial contable contabile importe documento over te dragen nog betalen excl inclusief exclusief
  a au aux de des d la le les l en et y e il i el los the of to for at on per und der die das am vom zum bis par un une
  sur s no n o t eur euro euros usd gbp chf cad`);

/** Words that name a total only together. */
const PHRASES = [
  " net a payer ",
  " a reporter ",
  " a nouveau ",
  " amount due ",
  " order amount ",
  " carried forward ",
  " brought forward ",
  " sales tax ",
  " over te dragen ",
  " nog te betalen ",
];

/** Words that make a total of a name beside them: `Sous-total Lyon`, `Dupont Total`. Others begin too many names. */
const NAMING = new Set(
  [...HEADS].filter((word) =>
    /^(?:total|totaux|totaal|subtot|soustot|solde|gesamt|zwischen|summe)/.test(word),
  ),
);

/** Longer texts are prose. */
const MOST_LETTERS = 60;
const TOKEN = /[^\W\d_]+|\d+|[€$£%&@]/gu;
const ASCII = 0x80;

/** Whether a text is nothing but the name of a total (its words, numbers, dates, rates), or begins or ends with its word. */
export function nameOf(text: string): Naming {
  const tokens = tokensOf(text);
  const named = tokens.filter((token) => /^\p{L}/u.test(token));
  const isName = NAMING.has(named[0] ?? "") || NAMING.has(named.at(-1) ?? "") ? "name" : "none";
  const others = named.filter((token) => monthOf(token) === undefined);
  if (/[&@]/.test(tokens.join("")) || !others.every((token) => HEADS.has(token) || MODIFIERS.has(token)))
    return isName;
  const joined = ` ${others.join(" ")} `;
  const isPhrase =
    others.some((token) => HEADS.has(token)) || PHRASES.some((phrase) => joined.includes(phrase));
  return isPhrase ? "phrase" : isName;
}

/** False if the bytes of its first and its last word already show that a text names no total. */
export function mayName(bytes: Buffer, start: number, end: number): boolean {
  let from = start;
  while (from < end && !isWord(bytes[from]!)) from++;
  let next = from;
  while (next < end && isWord(bytes[next]!)) next++;
  let to = end;
  while (to > next && !isWord(bytes[to - 1]!)) to--;
  let last = to;
  while (last > next && isWord(bytes[last - 1]!)) last--;
  if (from === next) return false;
  // `A reporter`, `T.V.A.`, `S/Total`, and no `A12`.
  if (next - from === 1) return " ./'".includes(String.fromCharCode(bytes[next] ?? 0));
  if (FIRST.mayHold(bytes, from, next) || NAMES.mayHold(bytes, last, to)) return true;
  for (let at = from; at < to; at++) if (bytes[at]! >= ASCII) return true;
  return false;
}

const LETTERS = 32;
const MOST_LENGTH = 31;

/** Words by their first two letters and their lengths: whether a word may be among them, without making it a text. */
class WordTable {
  readonly #places = new Uint8Array(LETTERS * LETTERS * (MOST_LENGTH + 1));

  /** `stems`: beginnings of words of any length. */
  constructor(list: Iterable<string>, stems: readonly string[] = []) {
    for (const word of list) this.#places[this.#placeOf(Buffer.from(word), 0, word.length)] = 1;
    for (const stem of stems)
      for (let length = 2; length <= MOST_LENGTH; length++)
        this.#places[this.#placeOf(Buffer.from(stem), 0, length)] = 1;
  }

  mayHold(bytes: Buffer, start: number, end: number): boolean {
    return end - start > 1 && this.#places[this.#placeOf(bytes, start, end)] === 1;
  }

  #placeOf(bytes: Buffer, start: number, end: number): number {
    const letters = (bytes[start]! % LETTERS) * LETTERS + (bytes[start + 1]! % LETTERS);
    return letters * (MOST_LENGTH + 1) + Math.min(end - start, MOST_LENGTH);
  }
}

const FIRST = new WordTable(
  [...HEADS, ...MODIFIERS, ...MONTH_NAMES.flatMap((names) => names.split(" "))],
  ["sous", "sub", "zwischen"],
);
const NAMES = new WordTable(NAMING);

/** True for letters, of whatever alphabet. */
function isWord(byte: number): boolean {
  return isAsciiLetter(byte) || byte >= ASCII;
}

const SPACED_OUT = /\b(?:\p{L} ){3,}\p{L}\b/gu;

/** The words, numbers and signs of a short text, without accents and capitals; none for prose. */
function tokensOf(text: string): readonly string[] {
  if (text.length > MOST_LETTERS) return [];
  const plain = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/(?<=\b\p{L})\.(?=\p{L}\b)/gu, "")
    .replaceAll(SPACED_OUT, (letters) => letters.replaceAll(" ", ""))
    .replaceAll(/\b(sous|sub|zwischen)[ .-]?(total|totaux|summe|totale|totaal)/g, "$1$2")
    .replaceAll(/\bs\/ ?total/g, "soustotal");
  return plain.match(TOKEN) ?? [];
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
