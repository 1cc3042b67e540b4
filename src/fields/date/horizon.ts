import type { PackedDate } from "./calendar.ts";

const YEAR = 10_000;
const USUAL_YEARS = 1;
const FUTURE_YEARS = 30;

// Names of columns whose dates lie ahead, in the languages of the months, without accents: whole words, and beginnings.
const WORDS: ReadonlySet<string> = new Set(
  "due duedate fin end ends enddate datefin until till deadline ende bis fine vence einde".split(" "),
);
const BEGINNINGS =
  /^(?:echean|expir|perempt|matur|enddat|ablauf|fallig|scaden|vencim|caduc|verval|validite|validity|validto)/;

/**
 * The last day on which a two-digit year is taken as it is usually read: a year after `today`, thirty years if the name
 * of the column or of its field speaks of the future (`date_echeance`, `Due date`).
 */
export function findHorizon(today: PackedDate, names: readonly string[]): PackedDate {
  return today + YEAR * (names.some(isNamedForFuture) ? FUTURE_YEARS : USUAL_YEARS);
}

function isNamedForFuture(name: string): boolean {
  const words = name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.some((word) => WORDS.has(word) || BEGINNINGS.test(word));
}
