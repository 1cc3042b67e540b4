/** Number formats that fill up with zeros show more than the number: the places for its digits, and the texts between them. */
export interface DigitShape {
  readonly places: number;
  /** `undefined` for a place. */
  readonly parts: readonly (string | undefined)[];
}

/** A place, a text in quotes or behind a backslash, a sign that stands for itself, a space as wide as a sign, a colour. */
const PART =
  /(?<place>[0#?])|"(?<quoted>[^"]*)"|\\(?<escaped>.)|(?<sign>[ ()-])|_.|\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)\]/giy;
const FEWEST_PLACES = 2;

/**
 * The shape of a format that fills whole numbers up with zeros: `00000` shows 1000 as 01000, `0#" "##" "##" "##" "##` a
 * telephone number (ECMA-376 part 1, 18.8.31). `undefined` for all other formats. `section` is the one for positive numbers.
 */
export function digitShapeOf(section: string): DigitShape | undefined {
  const parts: (string | undefined)[] = [];
  let end = 0;
  for (const { 0: whole, groups = {} } of section.matchAll(PART)) {
    end += whole.length;
    if (groups["place"] !== undefined) {
      // Only zeros before the others fill up.
      if (!parts.includes(undefined) && whole !== "0") return undefined;
      parts.push(undefined);
    } else parts.push(groups["quoted"] ?? groups["escaped"] ?? groups["sign"] ?? "");
  }
  const places = parts.filter((part) => part === undefined).length;
  return end === section.length && places >= FEWEST_PLACES ? { places, parts } : undefined;
}

/** A spreadsheet keeps so many digits; a longer number is judged as any other. */
const WHOLE = /^\d{1,15}$/;

/** What a cell shows for a whole number, in digits; `undefined` for other numbers. */
export function showDigits(number: string, { places, parts }: DigitShape): string | undefined {
  if (!WHOLE.test(number)) return undefined;
  const digits = number.padStart(places, "0");
  // Digits for which there is no place stand before the others.
  let at = digits.length - places;
  let shown = "";
  let isFirst = true;
  for (const part of parts) {
    if (part !== undefined) shown += part;
    else {
      shown += isFirst ? digits.slice(0, at + 1) : digits[at]!;
      at++;
      isFirst = false;
    }
  }
  return shown;
}
