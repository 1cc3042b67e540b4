import type { Evidence } from "./evidence.ts";
import type { Excerpt } from "./excerpts.ts";
import {
  CODE_PAGES,
  readAsUtf8,
  readCodePage,
  RIVALS,
  type TextReading,
  weighNamed,
  weighReadings,
} from "./weigh-readings.ts";
import { bestOdds, meanOdds, weighText } from "./weigh-text.ts";

/** The encoding that the evidence supports. */
export type Verdict =
  | { readonly kind: "certain"; readonly encoding: string }
  /** Several readings are equally good, or none is good; they differ in the excerpt. The likeliest comes first. */
  | { readonly kind: "close" | "none"; readonly encodings: readonly string[]; readonly excerpt: Excerpt }
  /** The excerpt is not a word in the encoding of the rest, but is one in the other. */
  | { readonly kind: "mixed"; readonly encoding: string; readonly other: string; readonly excerpt: Excerpt };

/** A reading is certain if its odds are this many nats above those of the next. */
const DECISIVE = 5;
/** A named encoding is disproved only if the odds of the best reading are this many nats above its own. */
const DISPROVES = 10;

/** For each character: the odds of a word that reads badly, and of one that reads well. */
const BAD = -14.5;
const GOOD = -10.5;
/** A word supports the other encoding only if it reads better there by more than this many nats. */
const BETTER = 8;
const MOST_SHOWN = 4;

const TOLD: ReadonlySet<string> = new Set(["utf-8", ...CODE_PAGES]);

/** Finds the encoding of an input that is not ASCII: the one in which letters and signs best fit where they stand. */
export function judgeEncoding(evidence: Evidence): Verdict {
  const { isUtf8, excerpts } = evidence;
  if (excerpts.length === 0) return { kind: "certain", encoding: "utf-8" };
  if (isUtf8 && (excerpts.some(isPlainUtf8) || readsWell(weighNamed("utf-8", evidence))))
    return { kind: "certain", encoding: "utf-8" };
  const readings = weighReadings(evidence);
  const [best, ...others] = readings;
  if (best === undefined) return { kind: "certain", encoding: "utf-8" };
  const utf8Word = isUtf8 ? undefined : findUtf8Word(excerpts, best);
  if (utf8Word !== undefined)
    return { kind: "mixed", encoding: best.encoding, other: "utf-8", excerpt: utf8Word };
  const near = others.filter((other) => best.odds - other.odds < DECISIVE);
  const rivals = isRival(best) ? others : near;
  if (rivals[0] !== undefined) {
    const excerpt = findDifference(evidence.excerpts, best, rivals[0]);
    return { kind: "close", encodings: differing(readings, evidence.excerpts.indexOf(excerpt)), excerpt };
  }
  return best.encoding === "utf-8"
    ? { kind: "certain", encoding: "utf-8" }
    : judgeWords(best, others, evidence);
}

/** A reading that the evidence prefers to the named encoding so clearly that the named one cannot have been meant. */
export function disproveEncoding(
  named: string,
  evidence: Evidence,
): { readonly encoding: string; readonly excerpt: Excerpt } | undefined {
  if (evidence.excerpts.length === 0 || mayBeNamed(named, judgeEncoding(evidence))) return undefined;
  const reading = weighNamed(named, evidence);
  const [best] = weighReadings(evidence);
  if (best === undefined || best.odds - reading.odds < DISPROVES) return undefined;
  // Bytes of a code page are valid UTF-8 only by accident, and so many accidents do not happen.
  if (best.encoding === "utf-8")
    return { encoding: "utf-8", excerpt: findDifference(evidence.excerpts, reading, best) };
  // For other encodings it is not known how their languages look in them.
  if (!TOLD.has(named)) return undefined;
  const excerpt = evidence.excerpts[findContradiction(reading, best) ?? -1];
  return excerpt === undefined ? undefined : { encoding: best.encoding, excerpt };
}

/** True for what is settled without being named, and for what is asked for by name. */
function mayBeNamed(named: string, verdict: Verdict): boolean {
  if (verdict.kind === "certain") return verdict.encoding === named;
  return verdict.kind !== "mixed" && verdict.encodings.includes(named);
}

/**
 * In an input that is valid UTF-8: sequences that do not occur in a code page by accident. Signs of Latin-1 (a capital
 * `Â` before a sign), punctuation, symbols and emoji (`â`, `ï` or `ð` before two or three signs), three multi-byte
 * characters in a row.
 */
const PLAIN_UTF8 =
  /[\u00c2\u00e2\u00ef-\u00f4]|[\u00c2-\u00ef][\u0080-\u00bf]+(?:[\u00c2-\u00ef][\u0080-\u00bf]+){2}/;

function isPlainUtf8({ bytes, from, to }: Excerpt): boolean {
  return PLAIN_UTF8.test(bytes.slice(from, to));
}

/** With this many words, no code page can have produced them by accident, so the code pages need not be tried. */
const ENOUGH_WORDS = 4;

function readsWell({ weights }: TextReading): boolean {
  const odds = weights.reduce((sum, weight) => sum + bestOdds(weight), 0);
  const characters = weights.reduce((sum, weight) => sum + weight.characters, 0);
  return weights.length >= ENOUGH_WORDS && odds > GOOD * characters;
}

function isRival({ encoding }: TextReading): boolean {
  return RIVALS.some((rival) => rival === encoding);
}

/** Whether each of the winner's words really is a word. */
function judgeWords(best: TextReading, others: readonly TextReading[], { excerpts }: Evidence): Verdict {
  const bad = excerpts.filter((_, index) => isBad(best, index));
  const isUnusual = best.encoding !== "windows-1252";
  const hasWord = best.weights.some((weight) => meanOdds(weight) > NO_WORD);
  const odd = bad.length * 2 > excerpts.length ? bad[0] : isUnusual && !hasWord ? excerpts[0] : undefined;
  if (odd !== undefined) {
    return { kind: "none", encodings: differing([best, ...others], excerpts.indexOf(odd)), excerpt: odd };
  }
  for (const other of others) {
    const excerpt = excerpts[findContradiction(best, other) ?? -1];
    if (excerpt !== undefined)
      return { kind: "mixed", encoding: best.encoding, other: other.encoding, excerpt };
  }
  return { kind: "certain", encoding: best.encoding };
}

function isBad({ weights }: TextReading, index: number): boolean {
  const weight = weights[index];
  return weight !== undefined && meanOdds(weight) < BAD;
}

/** The excerpt that is not a word in one reading and a good one in the other. */
function findContradiction(reading: TextReading, other: TextReading): number | undefined {
  const at = other.weights.findIndex((weight, index) => {
    const here = reading.weights[index];
    return (
      here !== undefined &&
      meanOdds(here) < BAD &&
      meanOdds(weight) > GOOD &&
      bestOdds(weight) - bestOdds(here) > BETTER
    );
  });
  return at === -1 ? undefined : at;
}

/** The likeliest readings that differ in the word of one excerpt. */
function differing(readings: readonly TextReading[], index: number): readonly string[] {
  const words = readings.map((reading) => wordOf(reading, index));
  return readings
    .filter((_, at) => words.indexOf(words[at]!) === at)
    .slice(0, MOST_SHOWN)
    .map(({ encoding }) => encoding);
}

function wordOf({ texts }: TextReading, index: number): string {
  const { text = [], from = 0, to = 0 } = texts[index] ?? {};
  return text.slice(from, to).join("");
}

/** The excerpt for which one of the two readings is most clearly the better. */
function findDifference(excerpts: readonly Excerpt[], a: TextReading, b: TextReading): Excerpt {
  const differences = excerpts.map((excerpt, index) => {
    const [left, right] = [a.weights[index], b.weights[index]];
    const isSame = left === undefined || right === undefined || wordOf(a, index) === wordOf(b, index);
    return { excerpt, difference: isSame ? -1 : Math.abs(bestOdds(left) - bestOdds(right)) };
  });
  return differences.reduce((most, one) => (one.difference > most.difference ? one : most)).excerpt;
}

/** For each multi-byte character: the odds that a word reads well in UTF-8, and badly otherwise. */
const UTF8_WORD = -11.5;
const NO_WORD = -12;

/**
 * In an input that is not UTF-8: an excerpt whose bytes make a fitting letter or sign in UTF-8, and none in the
 * reading.
 */
function findUtf8Word(excerpts: readonly Excerpt[], { encoding, texts }: TextReading): Excerpt | undefined {
  const page = readCodePage(encoding);
  return excerpts.find((excerpt, index) => {
    const mixed = readAsUtf8(excerpt, page);
    const plain = texts[index];
    if (plain === undefined) return false;
    for (let place = mixed.from, at = plain.from; at < plain.to; place += 1) {
      const character = mixed.text[place];
      const length = character === plain.text[at] ? 1 : Buffer.byteLength(character ?? "");
      const inUtf8 = weighText(mixed.text, { from: place, to: place + 1 });
      const here = weighText(plain.text, { from: at, to: at + length });
      if (length > 1 && meanOdds(inUtf8) > UTF8_WORD && meanOdds(here) < NO_WORD) return true;
      at += Math.max(length, 1);
    }
    return false;
  });
}
