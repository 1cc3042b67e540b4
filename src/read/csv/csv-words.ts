/**
 * True for a number, an amount, a date or a time: it begins with its digits at the latest, and has at least as many
 * digits as letters.
 */
export function isNumericLike(cell: string): boolean {
  let digits = 0;
  let letters = 0;
  for (const character of cell) {
    if (character >= "0" && character <= "9") {
      digits += 1;
    } else if (isLetter(character)) {
      if (digits === 0) return false;
      letters += 1;
    }
  }
  return digits > 0 && digits >= letters;
}

/** Of ASCII it is told without a regular expression: whole columns of a sample are asked about. */
function isLetter(character: string): boolean {
  if (character > "\u007f") return /\p{L}/u.test(character);
  return (character >= "a" && character <= "z") || (character >= "A" && character <= "Z");
}

const SPAN = /^(?:[<>≤≥+] ?)?(\d{1,4})(?: ?(?:[-–]|à|to|bis) ?(\d{1,4}))? ?(?:\+|j|jours|d|days|t|tage)?$/iu;

/**
 * Names of columns such as `1 - 30`, `31 - 60` and `> 60`: spans of days, if one begins where another ends. Ends are looked up: a row
 * may have half a million numbers.
 */
export function findSpans(names: readonly string[]): readonly string[] {
  const spans = names.map((name) => SPAN.exec(name)).filter((span) => span !== null);
  const ends = new Set(spans.map(([, start, end]) => (Number(end) > Number(start) ? Number(end) : -1)));
  const isNext = spans.some(([, start]) => ends.has(Number(start)) || ends.has(Number(start) - 1));
  return isNext ? spans.map(([name]) => name) : [];
}

/** True for a cell that contains a digit. */
export function holdsDigit(cell: string): boolean {
  return /\d/.test(cell);
}

/** True for a date in digits, with or without a time. */
export function isDateLike(cell: string): boolean {
  return /^\W*(?:\d{1,2}([./-])\d{1,2}\1\d{2,4}|\d{4}([./-])\d{1,2}\2\d{1,2})(?!\d)/.test(cell);
}

/** Number of cells that hold more than spaces. */
export function countFilled(cells: readonly string[]): number {
  let filled = 0;
  for (const cell of cells) if (cell.trim() !== "") filled++;
  return filled;
}

/** True for a line that separates the header from the rows: nothing but dashes and similar characters. */
export function isRule(cells: readonly string[]): boolean {
  const text = cells.join("").trim();
  return text.length > 1 && /^[-=_+|\s]+$/.test(text) && /[-=_]/.test(text);
}
