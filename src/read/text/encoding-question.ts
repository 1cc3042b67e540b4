import type { RecPushError } from "../../model/failure.ts";
import { quoteText, quoteWord, showText } from "../../model/text.ts";
import { inputError } from "../input-error.ts";
import type { Source } from "../source/source.ts";
import { loadIconv, readLineAt } from "./decode.ts";
import type { DoubtfulText, WesternText } from "./judge-encoding.ts";

/** The readings that are tried, the most usual first. */
const READINGS = [
  "windows-1252",
  "cp850",
  "macroman",
  "windows-1250",
  "windows-1251",
  "iso-8859-15",
  "cp437",
  "iso-8859-2",
  "windows-1254",
  "windows-1253",
  "cp852",
  "koi8-r",
  "cp866",
] as const;
const MOST_SHOWN = 4;
const WESTERN = "windows-1252";
/** With fewer firm words for each doubt, windows-1252 is shown last. */
const WORDS_FOR_DOUBT = 20;

/** The error that asks for the encoding: one line in the readings that fit best. Reads up to that line. */
export async function askForEncoding(source: Source, western: WesternText): Promise<RecPushError> {
  const { foreignByte: offset } = western;
  if (western.isUtf8) {
    const { bytes } = await readLineAt(source, offset);
    const what = "the bytes are valid UTF-8, and make words in windows-1252 too; the line may read";
    return ask(source, "open-encoding", { offset, bytes }, what, ["windows-1252", "utf-8"]);
  }
  if (western.utf8 !== undefined) return tellMixed(source, western.utf8, western);
  const [doubt] = western.doubts;
  const shown = doubt ?? { offset, ...(await readLineAt(source, offset)) };
  const why =
    doubt === undefined
      ? "its signs prove no encoding"
      : `${quoteText(doubt.text, 40)} is no word in windows-1252`;
  const lines = western.doubts.length > 0 ? western.doubts : [shown];
  const readings = rankReadings(lines, shown.bytes);
  // Most of its words would be wrong.
  const isLast = western.firm < WORDS_FOR_DOUBT * western.doubts.length;
  const named = readings.toSorted((a, b) => (isLast ? Number(a === WESTERN) - Number(b === WESTERN) : 0));
  const options = named.map((name) => (name === WESTERN && western.isDisproved ? `${name}!` : name));
  return ask(source, "open-encoding", shown, `it is not UTF-8, and ${why}; the line may read`, options);
}

/** The error for an encoding that was named and that the input does not have. */
export async function refuteEncoding(
  source: Source,
  named: string,
  western: WesternText,
  better: "utf-8" | "windows-1252" | undefined,
): Promise<RecPushError> {
  if (western.utf8 !== undefined && better === undefined)
    return tellMixed(source, western.utf8, western, named);
  const offset = better === undefined ? western.doubts[0]!.offset : western.foreignByte;
  const { bytes } = await readLineAt(source, offset);
  const others = better === undefined ? rankReadings(western.doubts, bytes) : [better];
  const readings = [...others.filter((other) => other !== named).slice(0, MOST_SHOWN - 1), `${named}!`];
  const what =
    better === undefined
      ? `--encoding ${named} does not turn the file into words; the line may read`
      : `--encoding ${named} does not turn the file into words, and ${better} does; the line may read`;
  return ask(source, "disproved-encoding", { offset, bytes }, what, readings);
}

async function ask(
  source: Source,
  code: "open-encoding" | "disproved-encoding",
  { offset, bytes }: Pick<DoubtfulText, "offset" | "bytes">,
  what: string,
  options: readonly string[],
): Promise<RecPushError> {
  const { line, column } = await readLineAt(source, offset);
  const names = options.map((option) => option.replace("!", ""));
  const width = Math.max(...names.map((name) => name.length));
  const shown = names.map(
    (name) => `\n  ${`${name}:`.padEnd(width + 1)} ${showText(decodeLine(bytes, name))}`,
  );
  const hint = `${options.map((option) => `--encoding ${quoteWord(option)}`).join(" or ")}; another: --encoding NAME`;
  return inputError({ file: source.name, line, column }, code, `${what}${shown.join("")}`, { hint });
}

/** For text in two encodings, no option gives words. */
async function tellMixed(
  source: Source,
  utf8: DoubtfulText,
  { foreignByte }: WesternText,
  named: string = WESTERN,
): Promise<RecPushError> {
  const { line, column } = await readLineAt(source, utf8.offset);
  const rest = `line ${(await readLineAt(source, foreignByte)).line} has bytes that are not UTF-8`;
  return inputError(
    { file: source.name, line, column },
    "mixed-encoding",
    `two encodings in one file: line ${line} has UTF-8 characters, ${rest}; line ${line} reads\n  ${named}: ${showText(decodeLine(utf8.bytes, named))}\n  utf-8: ${showText(decodeLine(utf8.bytes, "utf-8"))}`,
    { hint: `export the file again in one encoding, or write line ${line} in the encoding of the others` },
  );
}

/** The line may be cut inside a character of UTF-8. */
function decodeLine(bytes: Buffer, encoding: string): string {
  const text = loadIconv().decode(bytes, encoding);
  return encoding === "utf-8" ? text.replace(/^\uFFFD+|\uFFFD+$/g, "") : text;
}

/** The readings with the fewest faults in the doubted lines, best first, of those that differ in the shown line. */
function rankReadings(lines: readonly Pick<DoubtfulText, "bytes">[], shown: Buffer): readonly string[] {
  const bytes = Buffer.concat(lines.flatMap((line) => [line.bytes, Buffer.from("\n")]));
  const ranked = READINGS.map((name) => ({
    name,
    faults: countFaults(decodeLine(bytes, name)),
    text: decodeLine(shown, name),
  })).toSorted((a, b) => a.faults - b.faults);
  return ranked
    .filter(({ text }, at) => ranked.findIndex((other) => other.text === text) === at)
    .slice(0, MOST_SHOWN)
    .map(({ name }) => name);
}

/** Patterns that no word has, with their weights. */
const FAULTS: readonly (readonly [RegExp, number])[] = [
  [/[\ufffd\x80-\x9f\u2500-\u259f]/, 3],
  [/(?=.*[A-Za-z])(?=.*[\p{Script=Cyrillic}\p{Script=Greek}])/u, 2],
  [/\p{Ll}\p{Lu}/u, 1],
  [/^(?!.*ß).*(?:\p{Lu}{2}.*\p{Ll}|\p{Lu}\p{Ll}\p{Lu})/u, 1],
  [/\p{L}[^\p{L}\p{N}\p{ASCII}’]+\p{L}/u, 1],
  [/(?![€£°²³½¼¾«»’“”„‘…–—·§±×©®™º¿¡\u00a0])[^\p{L}\p{ASCII}]/u, 1],
];
/** Letters that many languages have; others weigh a little. */
const USUAL_LETTER =
  /[éèàêçôâîûùëïüöäßáíóúñãõåæøœìòčřšžýůěłąęćńśźżőűğışşťďň\u0370-\u03ff\u0400-\u04ff\u0130]|[^\p{L}]/iu;
const RARE_LETTER = 0.3;

function countFaults(text: string): number {
  const words = text.match(/[\p{L}\p{N}]*[^\p{ASCII}][^\s;,|"]*/gu) ?? [];
  let faults = 0;
  for (const word of words) for (const [pattern, weight] of FAULTS) if (pattern.test(word)) faults += weight;
  const rare = Array.from(new Set(words.join(""))).filter(
    (letter) => letter > "\x7f" && !USUAL_LETTER.test(letter),
  );
  return faults + RARE_LETTER * rare.length;
}
