import { isMarkerColumn } from "../../model/marker-columns.ts";
import { trimSpaces } from "../spaces.ts";

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** ASCII, as most names are: what asks Unicode for the kind of a letter is compiled only where one is not. */
const PRINTABLE = /^[ -~]*$/;
const LONGEST_NAME = 128;
/** Characters that separate cells and lines. */
const NO_NAME = /[;|"\p{Cc}\p{Zl}\p{Zp}]/u;

// Letters that Unicode does not decompose, with the spelling that people use when they have no key for them.
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
 * Makes an identifier from a column's name: `Order No` becomes `order_no`; an identifier is unchanged. `undefined` if
 * only digits would be left, if letters would be lost, or if the name looks like part of a torn table.
 */
export function makeIdentifier(name: string): string | undefined {
  if (isIdentifier(name)) return name;
  if (name.length > LONGEST_NAME || NO_NAME.test(name)) return undefined;
  const letters = plainLetters(name);
  if (!/[a-z]/.test(letters) || /[^a-z\P{L}]/u.test(letters)) return undefined;
  return identifierOf(letters);
}

/**
 * Makes a field name from a header: `Montant HT (€)` becomes `montant_ht`; `column_3` if nothing is left. `tried`
 * remembers the last number tried for each name, for when several columns get suggestions.
 */
export function suggestField(
  { position, normal, name }: ColumnName,
  taken: ReadonlySet<string>,
  tried = new Map<string, number>(),
): string {
  const isOnlyDigits = /^\d*$/.test(normal);
  const words = isIdentifier(name) ? name : identifierOf(plainLetters(name));
  const field = isOnlyDigits || words === "" ? `column_${position}` : words;
  let free = field;
  for (let number = tried.get(field) ?? 2; taken.has(free); number++) {
    free = `${field}_${number}`;
    tried.set(field, number + 1);
  }
  return free;
}

function identifierOf(letters: string): string {
  const words = letters.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  return words.replace(/^(?=\d)/, "_");
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
