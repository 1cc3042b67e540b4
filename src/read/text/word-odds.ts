import { type Language, LANGUAGES } from "./letter-odds.ts";
import { WORD_TABLE } from "./letter-table.ts";

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
export function weighAsciiWords(words: readonly string[]): readonly number[] {
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
