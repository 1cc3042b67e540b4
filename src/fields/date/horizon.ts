import type { PackedDate } from "./calendar.ts";

const YEAR = 10_000;
const USUAL_YEARS = 1;
const FUTURE_YEARS = 30;

// Names of columns with dates in the future, in the languages of the month names, without accents: whole words, and
// prefixes.
const WORDS: ReadonlySet<string> = new Set(
  "due duedate fin end ends enddate datefin until till deadline ende bis fine vence einde".split(" "),
);
const BEGINNINGS =
  /^(?:echean|expir|perempt|matur|enddat|ablauf|fallig|scaden|vencim|caduc|verval|validite|validity|validto)/;

/**
 * The last day for which a two-digit year is read with the usual century: a year after `today`, or thirty years if the
 * name of the column or of its field suggests the future (`date_echeance`, `Due date`).
 */
export function findHorizon(today: PackedDate, names: readonly string[]): PackedDate {
  return today + YEAR * (names.some(isNamedForFuture) ? FUTURE_YEARS : USUAL_YEARS);
}

function isNamedForFuture(name: string): boolean {
  const isAscii = /^[ -~]*$/.test(name);
  const words = (isAscii ? name : name.normalize("NFD").replace(/\p{M}/gu, ""))
    .replace(isAscii ? /([a-z])([A-Z])/g : /(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => WORDS.has(word) || BEGINNINGS.test(word));
}
