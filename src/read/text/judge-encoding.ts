import { isAscii } from "node:buffer";
import { createUtf8Check, decodeWestern } from "./decode.ts";

/** A word or sign that windows-1252 does not explain, or hardly. */
export interface DoubtfulText {
  readonly text: string;
  /** Where it begins in the input, as a byte position. */
  readonly offset: number;
  /** Some bytes of its line, with it among them. */
  readonly bytes: Buffer;
}

/** How an input reads as UTF-8 and as windows-1252. */
export interface WesternText {
  readonly isUtf8: boolean;
  /** The offset of the first byte that is not UTF-8 or, if there is none, not ASCII; 0 for ASCII. */
  readonly foreignByte: number;
  /** False for ASCII. */
  readonly hasHigh: boolean;
  /** True if its words and signs are written as in these languages. */
  readonly fits: boolean;
  /** True if slips and foreign names do not explain all doubts. */
  readonly isDisproved: boolean;
  /** Set if letters of UTF-8 (`Ã©`) are the only evidence against it. */
  readonly utf8: DoubtfulText | undefined;
  /** Number of words and signs that are evidence for it. */
  readonly firm: number;
  /** The first doubts. */
  readonly doubts: readonly DoubtfulText[];
  /** Different characters that it holds, if it fits. */
  readonly used: readonly string[];
}

/** At most one doubtful word in so many is a slip or a name, and at most one impossible word in so many. */
const WORDS_FOR_DOUBTFUL = 20;
const WORDS_FOR_NEVER = 1_000;
/** After so many firm words, dots and dashes between letters are slips too: every large file has some. */
const WORDS_FOR_SLIP = 200;

/** A place is judged by so many bytes before and after it, in its line. */
const REACH = 256;
/** A longer line is judged in parts. */
const MOST_LINE_BYTES = 65_536;
/** So many bytes of a line are shown before and after a doubt. */
const SHOWN_BEFORE = 40;
const SHOWN_AFTER = 60;
/** A doubtful sign is named with what is beside it. */
const BESIDE_BEFORE = /[^\s;,|"]*$/;
const BESIDE_AFTER = /^[^\s;,|"]*/;
/** So many doubts tell the readings apart. */
const MOST_DOUBTS = 40;
/** Longer texts repeat their words; new ones are then judged each time. */
const MOST_KNOWN = 20_000;

const BEYOND_ASCII = /[^\0-\x7f]/g;

/**
 * Judges an input as UTF-8 and as windows-1252, however it is cut into chunks: each different word, and each sign. Holds one line, and
 * the grades of its words.
 */
export class WesternJudge {
  readonly #grades = new Map<string, Grade>();
  readonly #count: Record<Grade, number> = { firm: 0, weak: 0, doubtful: 0, never: 0, foreign: 0 };
  readonly #doubts: DoubtfulText[] = [];
  readonly #utf8Check = createUtf8Check();
  #bytes = 0;
  #firstHigh: number | undefined;
  #firstInvalid: number | undefined;
  #utf8: DoubtfulText | undefined;
  #isFrench = false;
  /** Words that are only firm in a French text. */
  readonly #ifFrench: DoubtfulText[] = [];
  #ifFrenchCount = 0;
  /** The lines that are judged, and where they begin in the input. */
  #lines: Buffer = Buffer.alloc(0);
  #base = 0;
  /** The beginning of the next line. */
  #held: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#firstInvalid === undefined) this.#checkUtf8(this.#utf8Check.push(chunk).rest);
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#judge(bytes, endOfLines(bytes));
  }

  finish(): WesternText {
    this.#judge(this.#held, this.#held.length);
    if (this.#firstInvalid === undefined) this.#checkUtf8(this.#utf8Check.end());
    const { firm, weak, doubtful, never, foreign } = this.#count;
    const inFrench = this.#isFrench ? 0 : this.#ifFrenchCount;
    const doubts = this.#isFrench ? this.#doubts : [...this.#doubts, ...this.#ifFrench];
    const odd = doubtful + inFrench;
    const isAllowed = WORDS_FOR_DOUBTFUL * odd + WORDS_FOR_NEVER * never <= firm - inFrench;
    const isClean = foreign === 0 && this.#utf8 === undefined;
    return {
      isUtf8: this.#firstInvalid === undefined,
      foreignByte: this.#firstInvalid ?? this.#firstHigh ?? 0,
      hasHigh: this.#firstHigh !== undefined,
      fits: isClean && isAllowed && (firm > inFrench || weak === 0),
      isDisproved: !isClean || WORDS_FOR_NEVER * never > firm,
      utf8: foreign === 0 && never === 0 ? this.#utf8 : undefined,
      firm,
      doubts: doubts.toSorted((a, b) => a.offset - b.offset),
      used: [...new Set([...this.#grades.keys()].join(""))].filter((character) => character > "\x7f"),
    };
  }

  /** Nothing behind the first byte that is not UTF-8 is checked. */
  #checkUtf8(rest: Buffer = Buffer.alloc(0)): void {
    if (rest.length > 0) this.#firstInvalid = this.#bytes - rest.length;
  }

  /** Further text would not change the verdict. */
  get #isSettled(): boolean {
    const isAgainst = this.#count.foreign > 0 || this.#utf8 !== undefined;
    return isAgainst && this.#doubts.length === MOST_DOUBTS;
  }

  /** Judges whole lines, up to `end`; what follows waits. */
  #judge(bytes: Buffer, end: number): void {
    this.#lines = bytes.subarray(0, end);
    if (!this.#isSettled && !isAscii(this.#lines)) {
      const text = decodeWestern(this.#lines);
      for (let at = 0; ;) {
        BEYOND_ASCII.lastIndex = at;
        const next = BEYOND_ASCII.exec(text)?.index;
        if (next === undefined) break;
        this.#firstHigh ??= this.#base + next;
        at = isWesternLetter(text.charCodeAt(next)) ? this.#takeWord(text, next) : this.#takeSign(text, next);
      }
    }
    this.#base += end;
    this.#held = Buffer.from(bytes.subarray(end));
  }

  /** Judges the word around its first high letter; returns where it ends. */
  #takeWord(text: string, at: number): number {
    let from = at;
    while (from > 0 && at - from < REACH / 2 && isWesternLetter(text.charCodeAt(from - 1))) from--;
    let to = at + 1;
    while (to < text.length && to - at < REACH / 2 && isWesternLetter(text.charCodeAt(to))) to++;
    const word = text.slice(from, to);
    const isInside = UTF8_LETTER.test(word);
    if (isInside || UTF8_LETTER.test(`${word}${text[to] ?? ""}`)) {
      const end = isInside ? to : to + 1;
      const doubt = this.#doubt(text, from, end);
      this.#utf8 ??= doubt;
      this.#keep(doubt);
      return end;
    }
    // The key is a text of its own: a part of another would keep the whole chunk in memory.
    const key = `${word}\0`;
    if (this.#grades.has(key)) return to;
    const grade = judgeWord(word);
    if (this.#grades.size < MOST_KNOWN) this.#grades.set(key, grade);
    this.#count[grade]++;
    if (grade !== "firm") this.#keep(this.#doubt(text, from, to));
    else if (looksFrench(word)) this.#isFrench = true;
    else if (isFrenchOnly(word)) {
      this.#ifFrenchCount++;
      if (this.#ifFrench.length < MOST_DOUBTS) this.#ifFrench.push(this.#doubt(text, from, to));
    }
    return to;
  }

  #takeSign(text: string, at: number): number {
    const sign = text[at]!;
    const reach = isPaired(sign) ? REACH : NEAR;
    const before = text.slice(startOfLine(text, at, reach), at);
    const after = text.slice(at + 1, endOfLine(text, at + 1, reach));
    const place = `${before}\0${sign}${after}`;
    let grade = this.#grades.get(place) ?? judgeSign(sign, before, after);
    if (this.#grades.size < MOST_KNOWN) this.#grades.set(reach === NEAR ? place : sign, grade);
    if (grade === "foreign" && /[…–—]/.test(sign) && this.#count.firm > WORDS_FOR_SLIP) grade = "doubtful";
    this.#count[grade]++;
    if (grade !== "firm" && grade !== "weak") {
      const from = at - BESIDE_BEFORE.exec(text.slice(Math.max(at - NEAR, 0), at))![0].length;
      const to = at + 1 + BESIDE_AFTER.exec(text.slice(at + 1, at + 1 + NEAR))![0].length;
      this.#keep(this.#doubt(text, from, to));
    }
    return at + 1;
  }

  #keep(doubt: DoubtfulText): void {
    if (this.#doubts.length < MOST_DOUBTS) this.#doubts.push(doubt);
  }

  #doubt(text: string, from: number, to: number): DoubtfulText {
    const [left, right] = [startOfLine(text, from, SHOWN_BEFORE), endOfLine(text, from, SHOWN_AFTER)];
    const bytes = Buffer.from(this.#lines.subarray(left, right));
    return { text: Buffer.from(text.slice(from, to)).toString(), offset: this.#base + from, bytes };
  }
}

/** Where the last line ends that is whole; in a very long one, behind a byte that is no letter. */
function endOfLines(bytes: Buffer): number {
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (bytes.length - end <= MOST_LINE_BYTES) return end;
  const last = bytes.findLastIndex((byte) => byte < 0x30);
  return last === -1 ? bytes.length : last + 1;
}

/** Two bytes of UTF-8, as in `Ã©` and `â€™`. */
const UTF8_LETTER = /[ÂÃÄÅ](?:[\x80-\xbf]|[^\0-\xff])|â€/;

/** The first character of its line, or the one `reach` before. */
function startOfLine(text: string, at: number, reach: number): number {
  let from = at;
  while (from > 0 && at - from < reach && !isLineEnd(text, from - 1)) from--;
  return from;
}

function endOfLine(text: string, at: number, reach: number): number {
  let to = at;
  while (to < text.length && to - at < reach && !isLineEnd(text, to)) to++;
  return to;
}

function isLineEnd(text: string, at: number): boolean {
  return text[at] === "\n" || text[at] === "\r";
}

/**
 * Whether text that was read as windows-1252 is written as French, German, Spanish, Catalan, Italian, Portuguese, Dutch,
 * Swedish, Danish and Norwegian write it. Other code pages put their letters where these languages have none, or have signs: in
 * cp850 `Société` is `Soci‚t‚`.
 *
 * A word is judged by its letters and their case, a sign by its neighbours.
 */
type Grade =
  /** As these languages write. */
  | "firm"
  /** Usual, but no proof: `…` after a word. */
  | "weak"
  /** A slip of the pen, or a foreign name: some in a long text. */
  | "doubtful"
  | "never"
  /** A sign where other code pages have a letter. */
  | "foreign";

/** Letters beyond ASCII that windows-1252 has. */
const HIGH = "ŠŒŽšœžŸÀ-ÖØ-öø-ÿ";
const L = `[A-Za-z${HIGH}]`;
const LOWER = "[a-zšœžß-öø-ÿ]";

/** The letters of a word in one language, beside a to z. */
const ALPHABETS = [
  "àâæçèéêëîïôœùûüÿ", // French
  "äöüßéèàç", // German
  "áéíóúüñ", // Spanish
  "àçèéíïòóúü", // Catalan
  "àèéìòùî", // Italian
  "áâãàçéêíóôõúü", // Portuguese
  "éëïóöüèêáíûçô", // Dutch
  "åäöéüà", // Swedish
  "æøåéóôêèäöü", // Danish, Norwegian
].map((letters) => new RegExp(`^[a-z${letters}]+$`));

/** Letters where these languages never have them, but Czech, Croatian, Polish, Hungarian and Turkish do in their code pages. */
const NEVER =
  /[þð]|õ(?!e(?:s|m|zinh|$))|ã(?![oesin]|$)|ñ(?![aeiouáéíóú])|è[aeiouyáéíóúìùò]|ø[íáýìù]|(?<![aeouéqg])ï|^nø$|^[^a-zàèéóôøåöäæü]$/;

/** Foreign names, and rare places. */
const RARE = /[ýšž]|^ô$|[ìòù](?=\p{L})|œ(?!u|il)|[áä]e|ø[ièé]|(?<![aeou])ÿ|ÿ(?!$|s$)/u;
/** `û` in its French places; elsewhere it is the ű of Hungarian, unless the text is French. */
const FRENCH_U = /oû|br[ûu]l|flût|jeûn|bûch|affût|ût$|û[mt]es$|^(?:d|s|m|cr)û(?:re?)?(?:s|ment)?$/gi;

/** Longer words are no words. */
const MOST_LETTERS = 64;

/** Grades a word that holds letters beyond ASCII. */
export function judgeWord(word: string): Grade {
  const high = word.replace(/[A-Za-z]/g, "").length;
  if (word.length > MOST_LETTERS || (high === word.length && high > 1)) return "never";
  if (high > 2 && 2 * high > word.length) return "never";
  const lower = word.toLowerCase();
  if (NEVER.test(lower)) return "never";
  const usual = lower.replace(/[ýšž]/g, "s");
  if (!ALPHABETS.some((letters) => letters.test(usual))) return "never";
  const cases = judgeCase(word);
  return cases === "firm" && RARE.test(lower) ? "doubtful" : cases;
}

function judgeCase(word: string): Grade {
  let grade: Grade = "firm";
  for (let at = 0; at < word.length; at++) {
    const letter = word[at]!;
    if (letter < "\u0080" || letter === "ß") continue;
    const [before, after] = [word[at - 1], word[at + 1]];
    if (isCapital(letter)) {
      if (isSmall(before)) {
        if (!isSmall(after) || /[ŠŒŽŸ]/.test(letter)) return "never";
        grade = "doubtful";
      } else if (isCapital(before) && isSmall(after) && after !== "ß" && word.length > 2) grade = "doubtful";
    } else if (isAmongCapitals(word, at)) {
      // As a French keyboard writes them while capitals are locked.
      if (!/[éèàçù]/.test(letter)) return "never";
      grade = "doubtful";
    }
  }
  return grade;
}

function isAmongCapitals(word: string, at: number): boolean {
  const [before, after] = [word[at - 1], word[at + 1]];
  if (before === undefined) return isCapital(after) && (isCapital(word[2]) || word.length === 2);
  return isCapital(before) && (isCapital(after) || (after === undefined && isCapital(word[at - 2])));
}

function isCapital(letter: string | undefined): boolean {
  return letter !== undefined && letter !== letter.toLowerCase();
}

function isSmall(letter: string | undefined): boolean {
  return letter !== undefined && letter !== letter.toUpperCase();
}

/** True for a letter of windows-1252; signs such as ª and µ are none here. */
function isWesternLetter(code: number): boolean {
  if (code < 0xc0) return (code > 0x40 && code < 0x5b) || (code > 0x60 && code < 0x7b);
  return code < 0x100 ? code !== 0xd7 && code !== 0xf7 : LETTERS_OF_C1.has(code);
}

const LETTERS_OF_C1: ReadonlySet<number> = new Set(Array.from("ŠŒŽšœžŸ", (letter) => letter.charCodeAt(0)));

/** True for a word with an `û` that only French text explains. */
function isFrenchOnly(word: string): boolean {
  return /û/i.test(word) && /û/i.test(word.replace(FRENCH_U, ""));
}

/** True for a letter that a French text has in nearly every line. */
function looksFrench(word: string): boolean {
  return /[èàêçô]/i.test(word);
}

/** Where a sign is usual, or at least weak. In the patterns `\0` is the sign; to be usual, it may need another before or after it. */
interface SignPlaces {
  readonly usual?: RegExp | undefined;
  readonly weak?: RegExp | undefined;
  readonly before?: RegExp;
  readonly after?: RegExp;
}

const [NO_L_BEFORE, NO_L_AFTER] = [`(?<!${L})`, `(?!${L})`];
const ALONE = `${NO_L_BEFORE}\\0${NO_L_AFTER}`;
const EDGE = "[\\s\"';,|()[\\]/.:!?«»“”%*+=<>-]";
const VOWEL = "[hyaeiouàâäéèêëîïôöùûüÿœæáíóúìHYAEIOUÀÂÄÉÈÊËÎÏÔÖÙÛÜŒÆÁÍÓÚ]";

function places(usual: string, weak = "", pair: Pick<SignPlaces, "before" | "after"> = {}): SignPlaces {
  const compile = (pattern: string): RegExp | undefined => (pattern === "" ? undefined : new RegExp(pattern));
  return { usual: compile(usual), weak: compile(weak), ...pair };
}

const SIGNS: Readonly<Record<string, SignPlaces>> = {
  "€": places(`${NO_L_BEFORE}[kKmM]?\\0${NO_L_AFTER}`),
  "£": places(`${NO_L_BEFORE}\\0[kKmM]?${NO_L_AFTER}`),
  "°": places(`${NO_L_BEFORE}[nNdDlLsS]?\\0[CFNKESWO]?${NO_L_AFTER}`),
  "\u00a0": places("\\d\\0|\\0\\d", `${NO_L_BEFORE}\\0|\\0(?!${LOWER})`),
  "’": places(
    `(?:${NO_L_BEFORE}${L}|[qQ][uU]|ll|un|nt|st|tr|rd)\\0${VOWEL}|${L}\\0(?:[sS]|t|re|ve|ll|d|m)${NO_L_AFTER}`,
    `[\\dsS’]\\0${NO_L_AFTER}|${NO_L_BEFORE}\\0[\\dA-Za-z${HIGH}]`,
  ),
  "‘": places(`(?:^|${EDGE})\\0`, "", { after: /’/ }),
  "“": places(`(?:^|${EDGE})\\0(?!$|${EDGE})`, "", { after: /”/ }),
  "”": places(`\\0${NO_L_AFTER}`, "[\\d¼½¾]\\0", { before: /[“„]/ }),
  "„": places(`(?:^|${EDGE})\\0${L}`, "", { after: /[“”]/ }),
  "«": places(`${NO_L_BEFORE}\\0`, "", { after: /»/ }),
  "»": places(`\\0${NO_L_AFTER}`, "", { before: /«/ }),
  "…": places("", `\\0${NO_L_AFTER}`),
  "–": places(ALONE, `${L}\\0[A-ZŠŒŽŸÀ-ÖØ-Þ]`),
  "—": places(" \\0 ", ALONE),
  "•": places("", ALONE),
  "·": places("[lL]\\0[lL]", ALONE),
  "²³": places(`(?:\\d|${NO_L_BEFORE}(?:m|[cdkm]m|[CDKM]?M|x|R|CO|N))\\0${NO_L_AFTER}`),
  "½¼¾±×÷§": places(ALONE),
  µ: places(`${NO_L_BEFORE}\\0[mglsFAVWHM]${NO_L_AFTER}`),
  "®": places(`${L}\\0${NO_L_AFTER}`, `\\0${NO_L_AFTER}`),
  "™": places("", `\\0${NO_L_AFTER}`),
  "©‰": places("", ALONE),
  ºª: places(`\\d\\0${NO_L_AFTER}`, `${NO_L_BEFORE}(?:n|[A-Z]|Dr|Sr|Mr)\\0${NO_L_AFTER}`),
  "¡": places(`${NO_L_BEFORE}\\0${L}`, "", { after: /!/ }),
  "¿": places(`${NO_L_BEFORE}\\0${L}`, "", { after: /\?/ }),
  "\u00ad": places("", `${L}\\0${L}`),
};

const placesOf = new Map(
  Object.entries(SIGNS).flatMap(([signs, rule]) => Array.from(signs, (sign) => [sign, rule] as const)),
);

/** Beside a letter, any other sign is a letter of another code page. */
const MISPLACED = /[€£°“”„«»…–—·²³±×÷§©®™º¿¡’‘]/;
const IN_WORD = new RegExp(`${L}\\0${LOWER}`);
const BESIDE_WORD = new RegExp(`${L}\\0|\\0${L}`);
/** Between two letters these are slips: `d‘Ensisheim`, `la»suite`. */
const SLIPS = new RegExp(`^[«»°’\u00a0]|^‘(?:.*[^A-Za-z${HIGH}])?[dDlL]\\0`);

/** So many characters before and after a sign decide its place, except for signs that come in pairs. */
const NEAR = 4;

/** True for a sign that is judged by its whole line. */
function isPaired(sign: string): boolean {
  const rule = placesOf.get(sign);
  return sign === "’" || rule?.before !== undefined || rule?.after !== undefined;
}

/** Grades a sign by the text before and after it in its line. */
export function judgeSign(sign: string, before: string, after: string): Grade {
  const place = `${before.slice(-NEAR)}\0${after.slice(0, NEAR)}`;
  const rule = placesOf.get(sign);
  if (rule !== undefined) {
    const hasOther = (rule.before?.test(before) ?? true) && (rule.after?.test(after) ?? true);
    if (hasOther && rule.usual?.test(place) === true) return "firm";
    if (rule.weak?.test(place) === true || (sign === "’" && before.includes("‘"))) return "weak";
  }
  if (SLIPS.test(sign + place) || !BESIDE_WORD.test(place)) return "doubtful";
  return MISPLACED.test(sign) && !IN_WORD.test(place) ? "doubtful" : "foreign";
}
