import { isAt } from "../model/byte-memory.ts";
import { findCurrency } from "./amount/amount-scan.ts";
import { ARTICLES } from "./date/date.ts";
import { monthOf, weekdayOf } from "./date/month-names.ts";
import { ownText } from "./spreadsheet-text.ts";

/** The first byte of the letters from U+00C0 to U+00FF. */
const LATIN_LETTERS = 0xc3;
/** The second bytes of the signs of multiplication and division, which are among these letters. */
const TIMES = 0x97;
const DIVIDED = 0xb7;
const DOLLAR = 0x24;
/** So many words at the beginning of texts are remembered; a power of two. */
const WORDS = 256;
/** The words of a column that has none yet: there may be many such columns. */
const NO_WORDS: (Buffer | undefined)[] = Array.from({ length: WORDS });
/** A longer word is not remembered: it takes memory, and hardly any text begins so. */
const LONGEST_WORD = 64;

/** Recognises texts with a digit that are certainly neither a date nor an amount: they begin with a word with which none begins. */
export class PlainTexts {
  /** Words with which texts that hold digits began, each in a place that its bytes give. */
  #words = NO_WORDS;
  /** For each of them whether no date and no amount begins so. */
  readonly #arePlain: boolean[] = [];
  /** The same for words that were seen as text. */
  readonly #byText = new Map<string, boolean>();

  /** False for a text that needs a closer look. The bytes, one of them a digit, are its text in UTF-8. */
  has(bytes: Buffer, start: number, end: number): boolean {
    if (!isLetter(bytes[start]!) && !isLatin(bytes, start)) return false;
    const wordEnd = endOfWord(bytes, start, end);
    if (wordEnd < 0 || wordEnd - start > LONGEST_WORD) return false;
    const place = placeOf(bytes, start, wordEnd);
    const known = this.#words[place];
    const isKnown = known !== undefined && isAt(bytes, start, wordEnd, known);
    return isKnown ? this.#arePlain[place]! : this.#note(place, Buffer.from(bytes.subarray(start, wordEnd)));
  }

  /** The same for a text that holds a digit, is not empty and has no spaces at its ends. */
  hasText(text: string): boolean {
    const end = endOfFirstWord(text);
    if (end <= 0 || end > LONGEST_WORD) return false;
    const word = text.slice(0, end);
    const known = this.#byText.get(word);
    if (known !== undefined) return known;
    const isPlain = beginsNothing(word);
    if (this.#byText.size < WORDS) this.#byText.set(ownText(word), isPlain);
    return isPlain;
  }

  /** Remembers a word; returns true if no date and no amount begins with it. */
  #note(place: number, word: Buffer): boolean {
    const isPlain = beginsNothing(word.toString());
    if (this.#words === NO_WORDS) this.#words = [...NO_WORDS];
    this.#words[place] = word;
    this.#arePlain[place] = isPlain;
    return isPlain;
  }
}

function placeOf(bytes: Buffer, start: number, end: number): number {
  let sum = end - start;
  for (let at = start; at < end; at++) sum = (Math.imul(sum, 31) + bytes[at]!) | 0;
  return (sum ^ (sum >>> 8)) & (WORDS - 1);
}

/** True for ASCII letters. */
export function isLetter(code: number): boolean {
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x7a;
}

/** True for ASCII digits. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** True at a letter from U+00C0 to U+00FF. */
function isLatin(bytes: Buffer, at: number): boolean {
  return bytes[at] === LATIN_LETTERS && bytes[at + 1] !== TIMES && bytes[at + 1] !== DIVIDED;
}

/** The end of the word with which a text begins; -1 if it may go on with other letters or signs. */
function endOfWord(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at]!;
    if (isLetter(byte)) at += 1;
    else if (isLatin(bytes, at)) at += 2;
    else return byte < 0x80 && byte !== DOLLAR ? at : -1;
  }
  return at;
}

/** The same for text. */
function endOfFirstWord(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isLetter(code) && !(code >= 0xc0 && code <= 0xff && code !== 0xd7 && code !== 0xf7))
      return code < 0x80 && code !== DOLLAR ? at : -1;
  }
  return text.length;
}

/** True if no date and no amount begins with the word. */
function beginsNothing(word: string): boolean {
  const isOfDate = monthOf(word) !== undefined || weekdayOf(word) !== undefined;
  return !isOfDate && !ARTICLES.has(word.toLowerCase()) && findCurrency(word) === undefined;
}
