import type { RecPushError } from "../../model/failure.ts";
import { showText } from "../../model/refer-to-sheets.ts";
import { inputError } from "../input-error.ts";
import type { Source } from "../source/source.ts";
import { loadIconv } from "./decode.ts";
import type { Excerpt } from "./excerpts.ts";
import type { Verdict } from "./judge-encoding.ts";
import { readLineAt } from "./read-line-at.ts";

/** The error that asks for the encoding, showing one line in each possible reading. Reads up to that line. */
export async function askForEncoding(
  source: Source,
  verdict: Exclude<Verdict, { kind: "certain" }>,
  foreignLine: number | undefined,
): Promise<RecPushError> {
  const { line, column, shown } = await showLine(source, verdict.excerpt, encodingsOf(verdict));
  const place = { file: source.name, line, column };
  switch (verdict.kind) {
    case "close":
      return inputError(place, "open-encoding", `the encoding is not certain, the line may read${shown}`, {
        hint: optionsFor(verdict.encodings),
      });
    case "none":
      return inputError(
        place,
        "open-encoding",
        `in none of the encodings that can be recognised does the file hold words; the line would read${shown}`,
        { hint: `${optionsFor(verdict.encodings)}, or whichever encoding the file has` },
      );
    case "mixed":
      return inputError(
        place,
        "mixed-encoding",
        `two encodings in one file: ${contrast(verdict, line, foreignLine)}${shown}`,
        {
          hint: `export the file again in one encoding; if it is all in one, name it: ${optionsFor(encodingsOf(verdict))}, or whichever encoding it has`,
        },
      );
  }
}

/** The error for an encoding that was named and that the input does not have. */
export async function refuteEncoding(
  source: Source,
  named: string,
  { encoding, excerpt }: { readonly encoding: string; readonly excerpt: Excerpt },
): Promise<RecPushError> {
  const { line, column, shown } = await showLine(source, excerpt, [named, encoding]);
  return inputError(
    { file: source.name, line, column },
    "disproved-encoding",
    `--encoding ${named} does not turn the file into words, and ${encoding} does; the line would read${shown}`,
    { hint: `--encoding ${encoding}, or --encoding ${named}! to read it so all the same` },
  );
}

type Mixed = Extract<Verdict, { kind: "mixed" }>;

function encodingsOf(verdict: Exclude<Verdict, { kind: "certain" }>): readonly string[] {
  return verdict.kind === "mixed" ? [verdict.encoding, verdict.other] : verdict.encodings;
}

function contrast({ encoding, other }: Mixed, line: number, foreignLine: number | undefined): string {
  if (other !== "utf-8" || foreignLine === undefined)
    return `line ${line} is not text in ${encoding} like the rest, but in ${other}; it reads`;
  return `line ${line} has UTF-8 characters, line ${foreignLine} has bytes that are not UTF-8; line ${line} reads`;
}

function optionsFor(encodings: readonly string[]): string {
  return encodings.map((encoding) => `--encoding ${encoding}`).join(" or ");
}

async function showLine(
  source: Source,
  excerpt: Excerpt,
  encodings: readonly string[],
): Promise<{ line: number; column: number; shown: string }> {
  const { line, column, bytes } = await readLineAt(source, excerpt.offset);
  const width = Math.max(...encodings.map((encoding) => encoding.length));
  const shown = encodings.map((encoding) => {
    const text = loadIconv().decode(bytes, encoding);
    // The line may be cut inside a character.
    return `\n  ${`${encoding}:`.padEnd(width + 1)} ${showText(encoding === "utf-8" ? text.replace(/^\uFFFD+|\uFFFD+$/g, "") : text)}`;
  });
  return { line, column, shown: shown.join("") };
}
