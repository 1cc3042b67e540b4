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
