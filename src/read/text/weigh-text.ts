import { LANGUAGES, letterOdds } from "./letter-odds.ts";

/** A text as one string per character; `undefined` is a byte to which the encoding assigns no character. */
export type Characters = readonly (string | undefined)[];

/** How likely a piece of text is, as logarithms of odds. */
export interface Weight {
  /** What counts the same in any language: signs, letters in the wrong case, letters of several scripts in one word. */
  readonly common: number;
  /** Its non-ASCII letters, in each of `LANGUAGES`. */
  readonly letters: readonly number[];
  /** Number of characters that were weighed. */
  readonly characters: number;
}

const NO_TEXT = -25;
const CAPITAL_IN_WORD = -9;
const SMALL_AMONG_CAPITALS = -4;
const OTHER_SCRIPT_BESIDE = -12;
/** A letter of a language that is not in the tables: in a Greek word, in a Turkish or Baltic one, in any other. */
const GREEK_LETTER = -6;
const LATIN_LETTER = -13;
const OTHER_LETTER = -16;
/** Letters that only accidents of UTF-8 produce: phonetic ones, or letters standing alone. */
const ODD_LETTER = -30;
/** Letters standing alone, which are some letter in every encoding. */
const ALONE = -11;
const CZECH_CROWN = 6;
const GREEK = /\p{Script=Greek}/u;

/** Weighs the non-ASCII characters from `from` to `to`. In UTF-8 a misplaced sign counts once for each of its bytes. */
export function weighText(
  text: Characters,
  { from, to, isUtf8 = false }: { readonly from: number; readonly to: number; readonly isUtf8?: boolean },
): Weight {
  const letters = LANGUAGES.map(() => 0);
  let common = 0;
  let characters = 0;
  for (let at = from; at < to; at += 1) {
    const character = text[at];
    if (character !== undefined && character < "\u0080") continue;
    characters += 1;
    if (character === undefined) common += NO_TEXT;
    else if (isLetter(character)) common += weighLetter(character, text, at, letters);
    else common += weighSign(character, text, at, isUtf8);
  }
  return { common, letters, characters };
}

/** The odds in the language that fits best. */
export function bestOdds({ common, letters }: Weight): number {
  return common + Math.max(...letters);
}

/** The same per character. */
export function meanOdds(weight: Weight): number {
  return bestOdds(weight) / Math.max(weight.characters, 1);
}

/** A sign is judged by this many characters before and after it. */
const WORD_BEFORE = 12;
const LETTERS_AFTER = 4;
const OUT_OF_PLACE = -13;

function weighSign(sign: string, text: Characters, at: number, isUtf8: boolean): number {
  if (isOddMark(sign)) return ODD_LETTER;
  const before = text.slice(Math.max(at - WORD_BEFORE, 0), at);
  const after = text.slice(at + 1, at + 1 + LETTERS_AFTER);
  const odds = signOdds(sign, joinText(before), joinText(after));
  return isUtf8 && odds < OUT_OF_PLACE ? odds * Buffer.byteLength(sign) : odds;
}

function joinText(text: Characters): string {
  return text.map((character) => character ?? " ").join("");
}

/** Adds to `letters`, and returns what counts in every language. */
function weighLetter(letter: string, text: Characters, at: number, letters: number[]): number {
  const before = text[at - 1] ?? " ";
  const after = text[at + 1] ?? " ";
  const odds = scriptOdds(letter, before, after) + caseOdds(letter, text, at);
  if (!isKnown(letter)) {
    return odds + unknownOdds(letter, before, after);
  }
  const isAlone = standsAlone(text, at);
  const known = letterOdds(letter.toLowerCase(), before.toLowerCase(), after.toLowerCase());
  for (const [index, share] of known.entries()) {
    letters[index] = (letters[index] ?? 0) + (isAlone ? Math.min(share, ALONE) : share);
  }
  return odds + (isCzechCrown(letter, text, at) ? CZECH_CROWN : 0);
}

function unknownOdds(letter: string, before: string, after: string): number {
  if (isPhonetic(letter) || !(isLetter(before) || isLetter(after))) return ODD_LETTER;
  if (GREEK.test(letter) && (GREEK.test(before) || GREEK.test(after))) return GREEK_LETTER;
  return letter < "\u0180" ? LATIN_LETTER : OTHER_LETTER;
}

/** True for letters, except those that are used like signs and those that only some code pages have. */
function isLetter(character: string): boolean {
  return /\p{L}/u.test(character) && !/[ªºµﬁﬂƒˆˇ]/.test(character);
}

const TURKISH_AND_BALTIC = /[ĀāĒēĖėĞğĢģĪīĮįİıĶķĻļŅņŪūŲų]/;

/** True for Latin, nearly all of which is in the tables, and Cyrillic. */
function isKnown(letter: string): boolean {
  return (
    letter < "\u0460" &&
    !TURKISH_AND_BALTIC.test(letter) &&
    !isPhonetic(letter) &&
    /[\p{Script=Latin}\p{Script=Cyrillic}]/u.test(letter)
  );
}

/** Latin Extended-B except the Romanian letters, IPA, modifiers. */
function isPhonetic(letter: string): boolean {
  return /[\u0180-\u0217\u021c-\u02ff]/.test(letter);
}

/** Combining marks except those of decomposed letters. */
function isOddMark(sign: string): boolean {
  return /[\u0305\u0309\u030d-\u0326\u0329-\u036f]/.test(sign);
}

const SCRIPTS = [/\p{Script=Latin}/u, GREEK, /\p{Script=Cyrillic}/u, /\p{Script=Armenian}/u];

function scriptOdds(letter: string, before: string, after: string): number {
  const script = scriptOf(letter);
  const others = [before, after].filter((beside) => isLetter(beside) && scriptOf(beside) !== script);
  return others.length * OTHER_SCRIPT_BESIDE;
}

function scriptOf(letter: string): number {
  return SCRIPTS.findIndex((script) => script.test(letter));
}

function caseOdds(letter: string, text: Characters, at: number): number {
  const before = text[at - 1] ?? " ";
  const after = text[at + 1] ?? " ";
  if (isCapital(letter)) {
    const isInWord = isSmall(before) || (isCapital(before) && isSmall(after));
    return isInWord ? CAPITAL_IN_WORD : 0;
  }
  if (!isSmall(letter) || letter === "ß") return 0;
  const isAmongCapitals = isCapital(before) && (isCapital(after) || isCapital(text[at - 2] ?? " "));
  if (isAmongCapitals) return SMALL_AMONG_CAPITALS;
  return isCapital(after) ? CAPITAL_IN_WORD : 0;
}

function isCapital(character: string): boolean {
  return character !== character.toLowerCase();
}

function isSmall(character: string): boolean {
  return character !== character.toUpperCase();
}

/** False for words such as `à` and `è` among other words. */
function standsAlone(text: Characters, at: number): boolean {
  const [beforeThat = " ", before = " ", after = " ", afterThat = " "] = [-2, -1, 1, 2].map(
    (step) => text[at + step],
  );
  if (isLetter(before) || isLetter(after)) return false;
  return !((before === " " && isLetter(beforeThat)) || (after === " " && isLetter(afterThat)));
}

/** `Kč`, which is in no table of letters within words. */
function isCzechCrown(letter: string, text: Characters, at: number): boolean {
  return (
    letter === "č" && text[at - 1] === "K" && !isLetter(text[at - 2] ?? " ") && !isLetter(text[at + 1] ?? " ")
  );
}

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
function signOdds(sign: string, before: string, after: string): number {
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
