/**
 * Whether text that was read as windows-1252 is written as French, German, Spanish, Catalan, Italian, Portuguese, Dutch,
 * Swedish, Danish and Norwegian write it. Other code pages put their letters where these languages have none, or have signs: in
 * cp850 `Société` is `Soci‚t‚`.
 *
 * A word is judged by its letters and their case, a sign by its neighbours.
 */
export type Grade =
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
/** The À of Mac Roman, in `VOILË`. */
const RARE_CAPITAL = /[^AEIOUGYQ]Ë/;
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
  return cases === "firm" && (RARE.test(lower) || RARE_CAPITAL.test(word)) ? "doubtful" : cases;
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
export function isWesternLetter(code: number): boolean {
  if (code < 0xc0) return (code > 0x40 && code < 0x5b) || (code > 0x60 && code < 0x7b);
  return code < 0x100 ? code !== 0xd7 && code !== 0xf7 : LETTERS_OF_C1.has(code);
}

const LETTERS_OF_C1: ReadonlySet<number> = new Set(Array.from("ŠŒŽšœžŸ", (letter) => letter.charCodeAt(0)));

/** True for a word with an `û` that only French text explains. */
export function isFrenchOnly(word: string): boolean {
  return /û/i.test(word) && /û/i.test(word.replace(FRENCH_U, ""));
}

/** True for a letter that a French text has in nearly every line. */
export function looksFrench(word: string): boolean {
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
export const NEAR = 4;

/** True for a sign that is judged by its whole line. */
export function isPaired(sign: string): boolean {
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
