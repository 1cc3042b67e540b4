import { isUtf8 } from "node:buffer";
import { loadIconv } from "./decode.ts";
import { characterLength, type Evidence } from "./evidence.ts";
import type { Excerpt } from "./excerpts.ts";
import { type Language, LANGUAGES, WORD_TABLE } from "./letter-odds.ts";
import { type Characters, type Weight, weighText } from "./weigh-text.ts";

/** The evidence as read in one encoding. */
export interface TextReading {
  readonly encoding: string;
  /** The text of each excerpt. */
  readonly texts: readonly ExcerptText[];
  readonly weights: readonly Weight[];
  /** The logarithm of the odds of all of it. */
  readonly odds: number;
}

/** How rare an encoding is, compared with windows-1252; bytes that are UTF-8 by accident are rarer still. */
const RARITY: Readonly<Record<string, number>> = {
  "utf-8": 4,
  "windows-1252": 0,
  "iso-8859-15": -3,
  cp850: -3,
  cp437: -4,
  "windows-1250": -3,
  "windows-1251": -3,
  macroman: -4,
};

const RIVAL_RARITY = -8;

/** The odds of a word in a language other than that of most words. */
const OTHER_LANGUAGE = -2;
/** A quotation mark that opens and never closes in the whole input, or closes and never opens. */
const UNPAIRED = -5;
const PAIRS: readonly (readonly [quote: string, others: string])[] = [
  ["«", "»"],
  ["»", "«"],
  ["‹", "›"],
  ["›", "‹"],
  ["“", "”„"],
  ["”", "“„"],
  ["„", "“”"],
  ["‘", "’‚"],
  ["¡", "!"],
  ["¿", "?"],
];

/**
 * All readings that differ in their text, likeliest first; a reading that several encodings share gets the name of the
 * most usual one.
 */
export function weighReadings(evidence: Evidence): readonly TextReading[] {
  const { excerpts, used, isUtf8 } = evidence;
  const byText = new Map<string, TextReading>();
  if (isUtf8) byText.set("utf-8", weighNamed("utf-8", evidence));
  for (const encoding of isUtf8 ? CODE_PAGES : [...CODE_PAGES, ...RIVALS]) {
    const page = readCodePage(encoding) ?? [];
    const text = page
      .filter((_, byte) => used[byte] !== 0)
      .map((character) => character ?? "\0")
      .join("");
    const texts = excerpts.map((excerpt) => readWithPage(excerpt, page));
    const reading = weighReading(encoding, texts, evidence);
    const same = byText.get(text);
    if (same === undefined) byText.set(text, reading);
    else if (reading.odds > same.odds) byText.set(text, { ...same, odds: reading.odds });
  }
  return [...byText.values()].sort((a, b) => b.odds - a.odds);
}

/** The evidence in an encoding that was named. */
export function weighNamed(encoding: string, evidence: Evidence): TextReading {
  return weighReading(encoding, evidence.excerpts.map(readerOf(encoding)), evidence);
}

function readerOf(encoding: string): (excerpt: Excerpt) => ExcerptText {
  if (encoding === "utf-8") return (excerpt) => readAsUtf8(excerpt);
  const page = readCodePage(encoding);
  if (page !== undefined) return (excerpt) => readWithPage(excerpt, page);
  return (excerpt) => readDecoded(excerpt, (bytes) => loadIconv().decode(bytes, encoding));
}

function weighReading(encoding: string, texts: readonly ExcerptText[], evidence: Evidence): TextReading {
  const isUtf8 = encoding === "utf-8";
  const weights = texts.map(({ text, from, to }) => weighText(text, { from, to, isUtf8 }));
  const familiar = LANGUAGES.map((language) => familiarity(encoding, language));
  const against = weighAsciiWords(isUtf8 ? [] : evidence.asciiWords);
  const totals = familiar.map((odds, index) => odds + (against[index] ?? 0));
  let odds = (RARITY[encoding] ?? RIVAL_RARITY) + unpairedOdds(texts);
  for (const { common, letters } of weights) {
    odds += common;
    const other = Math.max(...letters.map((share, index) => share + (familiar[index] ?? 0))) + OTHER_LANGUAGE;
    for (const [index, share] of letters.entries())
      totals[index] = (totals[index] ?? 0) + Math.max(share, other);
  }
  return { encoding, texts, weights, odds: odds + Math.max(...totals) };
}

const WESTERN: ReadonlySet<Language> = new Set(["fr", "de", "es", "it"]);
const ALSO_WESTERN: ReadonlySet<Language> = new Set(["pt", "nl", "da", "no", "sv", "fi", "ca"]);
const EASTERN: ReadonlySet<Language> = new Set(["pl", "cs", "hu"]);
const CYRILLIC_PAGES = /^(windows-1251|koi8-u|cp866|iso-8859-5|maccyrillic)$/;
const EASTERN_RIVALS = /^(iso-8859-2|cp852|maccenteuro)$/;

/** How rarely a language is written in an encoding. */
function familiarity(encoding: string, language: Language): number {
  if (encoding === "utf-8") return 0;
  if (CYRILLIC_PAGES.test(encoding)) return language === "cyrillic" ? 0 : -3;
  if (EASTERN_RIVALS.test(encoding)) return EASTERN.has(language) ? 0 : -3;
  if (language === "cyrillic") return -8;
  const isWestern = WESTERN.has(language) || ALSO_WESTERN.has(language);
  if (encoding === "windows-1250") {
    if (EASTERN.has(language) || language === "de") return 0;
    return isWestern ? -3 : -1;
  }
  if (WESTERN.has(language)) return 0;
  return isWestern ? -1 : -7;
}

function unpairedOdds(texts: readonly ExcerptText[]): number {
  const characters = new Set(texts.flatMap(({ text }) => text));
  const unpaired = PAIRS.filter(
    ([quote, others]) => characters.has(quote) && !Array.from(others).some((other) => characters.has(other)),
  );
  return unpaired.length * UNPAIRED;
}

/** How strongly words speak for or against a language, relative to their number. */
const WORD_WEIGHT = 0.3;
/** However many words there are, they count no more than this against a language. */
const MOST_AGAINST = -5;
/** This many words prove nothing yet: the header, a currency. */
const FEW_WORDS = 12;

/**
 * The share of words that have a non-ASCII letter, for languages where it is so large that their absence proves
 * something.
 */
const ACCENTED_SHARE: Readonly<Partial<Record<Language, number>>> = {
  pl: 0.25,
  cs: 0.35,
  sk: 0.35,
  hu: 0.4,
  ro: 0.25,
  hr: 0.12,
  sl: 0.1,
  cyrillic: 0.6,
};

/**
 * How strongly the ASCII words of an input speak against each of {@link LANGUAGES}: a text in Czech has accents in
 * every third word, and its other words look Czech. Zero for the language that fits best.
 */
function weighAsciiWords(words: readonly string[]): readonly number[] {
  const odds = LANGUAGES.map((language) =>
    words.reduce((sum, word) => sum + wordOdds(language, word) * WORD_WEIGHT, 0),
  );
  const best = Math.max(...odds);
  return LANGUAGES.map((language, index) => {
    const missing = Math.log(1 - (ACCENTED_SHARE[language] ?? 0)) * Math.max(0, words.length - FEW_WORDS);
    return Math.max((odds[index] ?? 0) - best + missing * WORD_WEIGHT, MOST_AGAINST);
  });
}

/** The row of a letter, and the column of what follows it; the last is the border of the word. */
const BORDER = 26;
const ROW_LENGTH = 28;
/** The odds of an ASCII letter in a Cyrillic text: as if all letters were equally likely. */
const ANY_LETTER = -3.3;

function wordOdds(language: Language, word: string): number {
  if (language === "cyrillic") return word.length * ANY_LETTER;
  const table = WORD_TABLE[language];
  let odds = 0;
  let row = BORDER;
  for (let at = 0; at <= word.length; at += 1) {
    const column = at === word.length ? BORDER : word.charCodeAt(at) - 97;
    odds -= Number.parseInt(table.charAt(row * ROW_LENGTH + column), 36) / 3;
    row = column;
  }
  return odds;
}

/** An excerpt as text; the word goes from `from` to `to`. */
export interface ExcerptText {
  readonly text: Characters;
  readonly from: number;
  readonly to: number;
}

/** The excerpt with one character per byte. */
function readWithPage({ bytes, from, to }: Excerpt, page: CodePage): ExcerptText {
  return { text: Array.from(bytes, (byte) => characterOf(byte, page)), from, to };
}

/** The excerpt in UTF-8; bytes that are not UTF-8 are read with the code page, or left out if there is none. */
export function readAsUtf8({ bytes, from, to }: Excerpt, page?: CodePage): ExcerptText {
  const text: (string | undefined)[] = [];
  const raw = Buffer.from(bytes, "latin1");
  let start = 0;
  let end = 0;
  for (let at = 0; at < raw.length;) {
    if (at <= from) start = text.length;
    const piece = raw.subarray(at, at + characterLength(raw[at] ?? 0));
    const isCharacter = isUtf8(piece);
    if (isCharacter) text.push(piece.toString());
    else if (page !== undefined) text.push(characterOf(bytes.charAt(at), page));
    at += isCharacter ? piece.length : 1;
    if (at <= to) end = text.length;
  }
  return { text, from: start, to: end };
}

/** The excerpt in any encoding, decoded normally. */
function readDecoded({ bytes, from, to }: Excerpt, decode: (bytes: Buffer) => string): ExcerptText {
  const [before, word, after] = [bytes.slice(0, from), bytes.slice(from, to), bytes.slice(to)].map((part) =>
    Array.from(decode(Buffer.from(part, "latin1"))),
  ) as [string[], string[], string[]];
  return { text: [...before, ...word, ...after], from: before.length, to: before.length + word.length };
}

function characterOf(byte: string, page: CodePage): string | undefined {
  return byte < "\u0080" ? byte : page[byte.charCodeAt(0) - 0x80];
}

/** The encodings with one byte per character that are detected from content, the most usual first. */
export const CODE_PAGES = [
  "windows-1252",
  "iso-8859-15",
  "cp850",
  "cp437",
  "windows-1250",
  "windows-1251",
  "macroman",
] as const;

/** Encodings that can win the comparison only to stop the run: a reading is uncertain if one of them suits better. */
export const RIVALS = [
  "iso-8859-2",
  "cp852",
  "maccenteuro",
  "koi8-u",
  "cp866",
  "iso-8859-5",
  "maccyrillic",
  "windows-1253",
  "iso-8859-7",
  "windows-1254",
  "cp857",
  "windows-1257",
  "cp860",
  "cp863",
] as const;

/** One character for each byte from 0x80 up; `undefined` if that byte has none that occurs in text. */
export type CodePage = readonly (string | undefined)[];

const UPPER_HALF = Buffer.from(Array.from({ length: 128 }, (_, at) => at + 128));

/** The upper half of an encoding; `undefined` if a character may take several bytes. */
export function readCodePage(encoding: string): CodePage | undefined {
  const characters = Array.from(loadIconv().decode(UPPER_HALF, encoding));
  if (characters.length !== UPPER_HALF.length) return undefined;
  return characters.map((character) => (/[\u0080-\u009f\ufffd]/.test(character) ? undefined : character));
}
