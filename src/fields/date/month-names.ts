/**
 * Names and abbreviations of the months, January first: CLDR 48, locales fr, fr-CA, en, en-GB, de, de-AT, es, es-MX,
 * it, nl, pt, pt-PT; without accents and dots. German spreadsheets write `mrz`. No name stands for two months.
 */
export const MONTH_NAMES = [
  "ene enero gen gennaio jan janeiro janner januar januari january janv janvier",
  "feb febbraio febrero februar februari february fev fevereiro fevr fevrier",
  "maart mar march marco mars marz marzo mrt mrz",
  "abr abril apr april aprile avr avril",
  "mag maggio mai maio may mayo mei",
  "giu giugno juin jun june junho juni junio",
  "juil juill juillet jul julho juli julio july lug luglio",
  "ago agosto aout aug august augustus",
  "sep sept september septembre septiembre set setembro settembre",
  "oct october octobre octubre okt oktober ott ottobre out outubro",
  "nov november novembre novembro noviembre",
  "dec december decembre dez dezember dezembro dic dicembre diciembre",
] as const;

/**
 * Far longer than any name with its accents decomposed: the time for sorting accents grows with the square of their
 * number.
 */
const LONGEST_NAME = 60;

const MONTHS = new Map(
  MONTH_NAMES.flatMap((names, at) => names.split(" ").map((name) => [name, at + 1] as const)),
);

/** The month from 1 to 12 that a name or abbreviation means in fr, en, de, es, it, nl or pt, in any case, with or without accents. */
export function monthOf(name: string): number | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const lower = name.toLowerCase();
  return MONTHS.get(lower) ?? MONTHS.get(lower.normalize("NFD").replace(/\p{M}/gu, ""));
}
