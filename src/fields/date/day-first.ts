import { packDate, type PackedDate } from "./calendar.ts";
import { explainDay } from "./date-reasons.ts";

/** `05072016`; a spreadsheet takes the zero of the first nine days away. */
const DAY_FIRST = /^(\d?\d)(\d\d)(\d{4})$/;

/** True for a text of the format `DDMMYYYY`, be it a date or not. */
export function isDayFirst(text: string): boolean {
  return DAY_FIRST.test(text);
}

/** The date of such a text; 0 if there is none. */
export function packDayFirst(text: string): PackedDate {
  const [, day, month, year] = DAY_FIRST.exec(text)!;
  return packDate(Number(year), Number(month), Number(day));
}

/** Why such a text is not a date. */
export function explainDayFirst(text: string): string {
  const [, day, month, year] = DAY_FIRST.exec(text)!;
  return explainDay(Number(year), Number(month), Number(day));
}
