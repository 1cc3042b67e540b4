/**
 * A place, given as the characters before a sign, `|`, and the characters after it, with the logarithm of a sign's odds
 * there.
 */
type Place = readonly [place: RegExp, odds: number];

/** Signs that occur in the same places; the first place that matches counts. */
interface SignKind {
  readonly signs: string;
  readonly places: readonly Place[];
  readonly elsewhere: number;
}

const USUAL = -6;
const STRANGE = -15;
const ABSURD = -20;

/** Where signs end up in a wrong encoding. */
const BETWEEN_LETTERS = /\p{L}\|\p{L}/u;

/** The words before an apostrophe in French and Italian, and the word after it, which begins with a vowel or h. */
const ELISION =
  /(?:^|\P{L})(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|presqu|aujourd|entr|all|dall|dell|nell|sull|coll|un|quest|quell|sant|bell|buon|tutt|anch|com|dov|senz|mezz|gl|o)\|(?:[ay]\P{L}|[aeiouyhàâäæéèêëîïíìôöœóòùúûü]\p{L})/iu;

const KINDS: readonly SignKind[] = [
  {
    signs: "\u00a0\u2007\u2009\u202f",
    places: [
      [/\d\|\d/, -5],
      [/[\d«°§№.€$£(+-]\|/, USUAL],
      [/\|[:!?%»–]/, USUAL],
      [/\p{L}\|\d/u, -8],
      [/\p{L}{2}\|\p{L}{2}/u, -15],
      [BETWEEN_LETTERS, -17],
      [/\p{L}\|/u, -13],
    ],
    elsewhere: -11,
  },
  {
    signs: "€£¥¢$",
    places: [
      [BETWEEN_LETTERS, ABSURD],
      [/\d\|\p{L}|\p{L}\|\d/u, -9],
      [/\d[\s\u00a0]?\||\|[\s\u00a0]?\d/, USUAL],
      [/[kKM]\|/, -9],
      [/\p{L}\||\|\p{L}/u, -13],
    ],
    elsewhere: -9,
  },
  {
    signs: "°ºª",
    places: [
      [/\P{L}\|[CF]\P{L}/u, USUAL],
      [/\|\p{L}/u, -18],
      [/\d\.?\|/, USUAL],
      [/\P{L}[nN]\|/u, -5],
      [/\P{L}\p{Lu}\|/u, -10],
      [/\p{L}\|/u, -14],
    ],
    elsewhere: -12,
  },
  {
    signs: "²³¹",
    places: [
      [BETWEEN_LETTERS, ABSURD],
      [/[mM]\|/, USUAL],
      [/\d\|/, -9],
    ],
    elsewhere: STRANGE,
  },
  {
    signs: "½¼¾",
    places: [
      [/\p{L}\|/u, ABSURD],
      [/\|\p{L}{1,2}\P{L}/u, -12],
      [/\|\p{L}/u, -18],
    ],
    elsewhere: -8,
  },
  {
    signs: "µ",
    places: [
      [/\p{L}\|/u, ABSURD],
      [/\|[gmlLsFAVW]\P{L}/u, -8],
    ],
    elsewhere: STRANGE,
  },
  {
    signs: "§№",
    places: [
      [/\p{L}\||\|\p{L}/u, STRANGE],
      [/\|[\s\u00a0]?\d/, -7],
    ],
    elsewhere: -13,
  },
  { signs: "×±‰", places: [[/\p{L}\||\|\p{L}/u, ABSURD]], elsewhere: -9 },
  {
    signs: "«“„‹",
    places: [
      [BETWEEN_LETTERS, ABSURD],
      [/\P{L}\|[^\s,;.]/u, -7],
      [/\P{L}\|/u, -9],
      // In German, some of these close a quotation.
      [/\p{L}\|\P{L}/u, -10],
    ],
    elsewhere: STRANGE,
  },
  {
    signs: "»”›",
    places: [
      [BETWEEN_LETTERS, ABSURD],
      [/\S\|\P{L}/u, -7],
      [/\|\P{L}/u, -9],
      [/\P{L}\|\p{L}/u, -10],
    ],
    elsewhere: STRANGE,
  },
  {
    signs: "‘‚",
    places: [
      [BETWEEN_LETTERS, ABSURD],
      [/\P{L}\|\S/u, -9],
      [/\p{L}\|\P{L}/u, -11],
    ],
    elsewhere: STRANGE,
  },
  {
    signs: "’",
    places: [
      [ELISION, -5],
      // As in Italian: un po’.
      [/\P{L}po\|\P{L}/u, -5],
      [/\p{L}\|[sS]\P{L}/u, -7],
      [BETWEEN_LETTERS, -15],
      [/\S\|/, -12],
    ],
    elsewhere: -10,
  },
  {
    signs: "´",
    places: [
      [ELISION, -9],
      [BETWEEN_LETTERS, -18],
    ],
    elsewhere: -14,
  },
  {
    signs: "–—",
    places: [
      [/[\s\d]\|[\s\d]/, -7],
      [/\p{Ll}\|\p{Ll}/u, -17],
      [BETWEEN_LETTERS, -13],
    ],
    elsewhere: -12,
  },
  {
    signs: "…",
    places: [
      [/\|\p{L}/u, -16],
      [/\p{L}\|/u, -13],
      [/\S\|/, -9],
    ],
    elsewhere: -12,
  },
  {
    signs: "•·",
    places: [
      [BETWEEN_LETTERS, ABSURD],
      [/\s\|/, -9],
    ],
    elsewhere: -13,
  },
  {
    signs: "™®©",
    places: [
      [/\|\p{L}/u, ABSURD],
      [/\p{L}\|/u, -9],
    ],
    elsewhere: -10,
  },
  {
    signs: "¿¡",
    places: [
      [/\P{L}\|\p{Lu}\p{L}/u, USUAL],
      [/\P{L}\|\p{L}{2}/u, -12],
    ],
    elsewhere: -16,
  },
  { signs: "\u00ad", places: [[BETWEEN_LETTERS, -13]], elsewhere: -16 },
  // Most of these are in texts only because some encoding has them.
  { signs: "¤¦¬¶¨ˆ˜¸¯†‡÷ˇ˘˙˝˛˚ƒ", places: [[BETWEEN_LETTERS, ABSURD]], elsewhere: STRANGE },
];

/** Signs that are rarer than the others of their kind. */
const RARER: Readonly<Record<string, number>> = {
  "£": -2,
  "¥": -4,
  "¢": -4,
  "‹": -4,
  "›": -4,
  "‚": -3,
  "¹": -3,
  "³": -1,
  "—": -1,
};

const kindOf = new Map(KINDS.flatMap((kind) => Array.from(kind.signs, (sign) => [sign, kind] as const)));

/** Signs next to another sign; they are skipped, because a group of signs occurs in the same places as a single one. */
const SIGNS_BEFORE = /[^\p{ASCII}\p{L}\u00a0]+$/u;
const SIGNS_AFTER = /^[^\p{ASCII}\p{L}\u00a0]+/u;

/**
 * How likely a sign is at its place in a table of goods, people and amounts: the logarithm of its odds, comparable with
 * those of letters. `before` and `after` are the neighbouring text, if any.
 */
export function signOdds(sign: string, before: string, after: string): number {
  // A delimiter `|` is not the mark of the place.
  const left = before.replace(SIGNS_BEFORE, "").padStart(2).replaceAll("|", ";");
  const right = after.replace(SIGNS_AFTER, "").slice(0, 3).padEnd(3).replaceAll("|", ";");
  const place = `${left}|${right}`;
  const kind = kindOf.get(sign);
  // Box drawing, mathematical signs, ligatures.
  if (kind === undefined) return BETWEEN_LETTERS.test(place) ? -21 : -17;
  const odds = kind.places.find(([fits]) => fits.test(place))?.[1] ?? kind.elsewhere;
  return odds + (RARER[sign] ?? 0);
}
