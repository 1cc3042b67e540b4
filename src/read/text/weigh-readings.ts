import { CODE_PAGES, RIVALS, readCodePage } from "./code-page.ts";
import type { Evidence } from "./evidence.ts";
import type { Excerpt } from "./excerpts.ts";
import { LANGUAGES, type Language } from "./letter-odds.ts";
import { type ExcerptText, readAsUtf8, readDecoded, readWithPage } from "./read-excerpt.ts";
import { loadIconv } from "./iconv.ts";
import { weighText, type Weight } from "./weigh-text.ts";
import { weighAsciiWords } from "./word-odds.ts";

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
