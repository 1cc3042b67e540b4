import type { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { RunEvent } from "../model/event.ts";

/** In a narrower terminal, lines are left to be broken by the terminal. */
const NARROWEST = 20;

/** Writes lines to a stream for people. */
export type Tell = (lines: readonly string[]) => void;

/** Writes lines to `stream`; on a terminal they are wrapped between words. */
export function tellOn(stream: OutputStream): Tell {
  return (lines) => {
    if (lines.length === 0) return;
    const { isTTY = false, columns = 0 } = stream;
    const shown = isTTY && columns >= NARROWEST ? lines.flatMap((line) => wrapLine(line, columns)) : lines;
    stream.write(shown.map((line) => `${line}\n`).join(""));
  };
}

/** Shows how far a run is; gets every event, and shows what it considers useful. */
export interface Progress {
  readonly update: (event: RunEvent) => void;
  /** Shows lines that still grow above the progress line; `undefined` if nothing is drawn. */
  readonly grow: ((lines: readonly string[]) => void) | undefined;
  readonly stop: () => void;
}

/** No progress at all, where nothing is sent. */
export const SILENT_PROGRESS: Progress = {
  update: () => undefined,
  grow: undefined,
  stop: () => undefined,
};

/** A stream that a person or another program reads; a terminal identifies itself as one. */
export type OutputStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** A command or options to be pasted: the text after words that introduce it, up to the next clause. */
const TO_PASTE = /(?<=: |\badd )(?:rec-push |--|chmod |export |zstd )(?:"[^"]*"|'[^']*'|[^;"']|;(?! )|["'])*/;

/**
 * Wraps a line between words; further lines are indented a little. A command to be pasted starts a new line if it does
 * not fit, and is never broken: the terminal goes on below, and a shell takes what is copied from there as one command.
 */
export function wrapLine(line: string, columns: number): readonly string[] {
  if (textWidth(line) <= columns) return [line];
  const indent = `${/^ */.exec(stripVTControlCharacters(line))?.[0] ?? ""}  `;
  const match = TO_PASTE.exec(line);
  if (match === null) return wrapWords(line, columns, indent);
  const [command] = match;
  const before = line.slice(0, match.index).trimEnd();
  const after = line.slice(match.index + command.length).replace(/^[;, ]+/, "");
  return [
    ...wrapWords(before, columns, indent),
    indent + command,
    ...(after === "" ? [] : wrapWords(indent + after, columns, indent)),
  ];
}

/** Before a space, except the one between a number and its unit. */
const BREAKS = /(?<=\S)(?= )(?!(?<=\d) (?:s|min|h|%)(?!\w))/;

/** Wraps a line between words; `indent` begins the lines after the first. */
export function wrapWords(line: string, columns: number, indent: string): readonly string[] {
  const [first = "", ...words] = line.split(BREAKS);
  const lines = [first];
  for (const word of words) {
    const longer = lines.at(-1)! + word;
    if (textWidth(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(indent + word.trimStart());
  }
  return lines;
}

/** The number of terminal columns that a text takes, without its colours. */
export function textWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[ -~]*$/.test(plain)) return plain.length;
  let width = 0;
  for (const sign of plain) width += signWidth(sign);
  return width;
}

/** Its sets of letters are made where a text is not ASCII, not in every command. */
function signWidth(sign: string): number {
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(sign)) return 0;
  const isWide =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
  return isWide.test(sign) ? 2 : 1;
}

/** The colours of text. */
export interface Paint {
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  readonly bold: (text: string) => string;
}

/** When output is coloured; `auto` decides by the environment and the terminal. */
type ColorChoice = "auto" | "always" | "never";

const asItIs = (text: string): string => text;

/** No colours. */
export const PLAIN_PAINT: Paint = { red: asItIs, yellow: asItIs, green: asItIs, bold: asItIs };

/** Colours for one stream, by the rule of {@link isColoured}. */
export async function openPaint(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
  color: ColorChoice = "auto",
): Promise<Paint> {
  if (!isColoured(stream, env, color)) return PLAIN_PAINT;
  const { Chalk } = await import("chalk");
  return new Chalk({ level: 1 });
}

/**
 * The config decides; else `FORCE_COLOR`, for which 0 and false mean no; else `NO_COLOR`; else a terminal is coloured
 * unless it is called dumb. Empty variables are ignored.
 */
export function isColoured(
  { isTTY = false }: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
  color: ColorChoice,
): boolean {
  if (color !== "auto") return color === "always";
  const forced = env["FORCE_COLOR"];
  if (forced) return forced !== "0" && forced !== "false";
  return isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

/** `0.8 s`, `3 min 05 s`, `2 h 07 min` */
export function showDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const pad = (value: number): string => String(value).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`;
}
