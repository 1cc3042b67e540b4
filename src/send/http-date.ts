const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const FIXDATE =
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/;
const RFC_850 =
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/;
const ASCTIME =
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/;

/** The time of an HTTP date in any of the three forms of RFC 9110, 5.6.7; `undefined` if it is not one. */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  const parts = (FIXDATE.exec(text) ?? RFC_850.exec(text) ?? ASCTIME.exec(text))?.groups;
  if (parts === undefined) return undefined;
  const { day = "", month = "", year = "", time = "" } = parts;
  const monthIndex = MONTHS.indexOf(month);
  const [hours = 99, minutes = 99, seconds = 99] = time.split(":").map(Number);
  if (monthIndex < 0 || hours > 23 || minutes > 59 || seconds > 60) return undefined;
  const fullYear = year.length === 2 ? nearestYear(Number(year), nowMs) : Number(year);
  const midnight = new Date(Date.UTC(fullYear, monthIndex, Number(day)));
  if (midnight.getUTCDate() !== Number(day)) return undefined;
  return midnight.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** RFC 9110, 5.6.7: a two-digit year that would be more than 50 years ahead is in the past. */
function nearestYear(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
