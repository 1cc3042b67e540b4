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

/** The same for the days of the week, Sunday first, without the Portuguese `-feira`. */
export const WEEKDAY_NAMES = [
  "dim dimanche dom domenica domingo so sonntag sun sunday zo zondag",
  "lun lundi lunedi lunes ma maandag mo mon monday montag seg segunda",
  "di dienstag dinsdag mar mardi martedi martes ter terca tue tuesday",
  "mer mercoledi mercredi mi mie miercoles mittwoch qua quarta wed wednesday wo woensdag",
  "do donderdag donnerstag gio giovedi jeu jeudi jue jueves qui quinta thu thursday",
  "fr freitag fri friday sex sexta ven vendredi venerdi vie viernes vr vrijdag",
  "sa sab sabado sabato sam samedi samstag sat saturday za zaterdag",
] as const;

/**
 * Far longer than any name with its accents decomposed: the time for sorting accents grows with the square of their
 * number.
 */
const LONGEST_NAME = 60;

const MONTHS = numberNames(MONTH_NAMES, 1);
const WEEKDAYS = numberNames(WEEKDAY_NAMES, 0);

/** The month from 1 to 12 that a name or abbreviation means in fr, en, de, es, it, nl or pt, in any case, with or without accents. */
export function monthOf(name: string): number | undefined {
  return lookUp(MONTHS, name);
}

/** The day of the week, Sunday 0, that a name or abbreviation means in the same languages. */
export function weekdayOf(name: string): number | undefined {
  return lookUp(WEEKDAYS, name);
}

function lookUp(names: ReadonlyMap<string, number>, name: string): number | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const lower = name.toLowerCase();
  return names.get(lower) ?? names.get(lower.normalize("NFD").replace(/\p{M}/gu, ""));
}

function numberNames(table: readonly string[], first: number): ReadonlyMap<string, number> {
  return new Map(
    table.flatMap((names, index) => names.split(" ").map((name) => [name, index + first] as const)),
  );
}
