import type { Writable } from "node:stream";
import type { RunEvent } from "../model/event.ts";

/** In a narrower terminal, lines are left to be broken by the terminal. */
const NARROWEST = 20;

/** Writes lines to a stream for people. */
export type Tell = (lines: readonly string[]) => void;

/**
 * Writes lines to `stream` without interfering with the progress line; on a terminal they are wrapped between words.
 */
export function tellOn(stream: OutputStream, progress: Progress): Tell {
  return (lines) => {
    if (lines.length === 0) return;
    const { isTTY = false, columns = 0 } = stream;
    const wrapping = { columns, hasBackslash: process.platform !== "win32" };
    const shown = isTTY && columns >= NARROWEST ? lines.flatMap((line) => wrapLine(line, wrapping)) : lines;
    progress.write(() => void stream.write(shown.map((line) => `${line}\n`).join("")));
  };
}

/** Shows how far a run is; gets every event, and shows what it considers useful. */
export interface Progress {
  readonly update: (event: RunEvent) => void;
  /** Writes a line without interfering with the progress line. */
  readonly write: (print: () => void) => void;
  /** Shows lines that still grow above the progress line; `undefined` if nothing is drawn. */
  readonly grow: ((lines: readonly string[]) => void) | undefined;
  readonly stop: () => void;
}

/** No progress at all, where nothing is sent. */
export const SILENT_PROGRESS: Progress = {
  update: () => undefined,
  write: (print) => print(),
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

/** How lines are wrapped. */
export interface Wrapping {
  /** The width of the terminal. */
  readonly columns: number;
  /** A command that continues on the next line ends with a `\`, as POSIX shells want it. */
  readonly hasBackslash: boolean;
}

/**
 * Wraps a line between words; further lines are indented a little. A command to be pasted starts a new line if it does
 * not fit, and is broken only in a way that a shell still reads as one command.
 */
export function wrapLine(line: string, { columns, hasBackslash }: Wrapping): readonly string[] {
  if (textWidth(line) <= columns) return [line];
  const indent = `${/^ */.exec(withoutColours(line))?.[0] ?? ""}  `;
  const match = TO_PASTE.exec(line);
  if (match === null) return wrapWords(line, columns, indent);
  const [command] = match;
  const before = line.slice(0, match.index).trimEnd();
  const after = line.slice(match.index + command.length).replace(/^[;, ]+/, "");
  return [
    ...wrapWords(before, columns, indent),
    ...(hasBackslash ? wrapCommand(indent + command, columns, indent) : [indent + command]),
    ...(after === "" ? [] : wrapWords(indent + after, columns, indent)),
  ];
}

/** Before a space, except the one between a number and its unit. */
const BREAKS = /(?<=\S)(?= )(?!(?<=\d) (?:s|min|h|%)(?!\w))/;

/** Wraps a line between words; `indent` begins the lines after the first. */
export function wrapWords(line: string, columns: number, indent: string): readonly string[] {
  return joinWords(line.split(BREAKS), columns, indent);
}

/** A space between quotes belongs to a shell word, and an option is not separated from its value. */
function wrapCommand(line: string, columns: number, indent: string): readonly string[] {
  if (textWidth(line) <= columns) return [line];
  const words = line.match(/ *(?:--[\w-]+ (?!-))?(?:"[^"]*"|'[^']*'|\\.|[^ "'\\]|["'\\])+/g) ?? [line];
  const lines = joinWords(words, columns - " \\".length, `${indent}  `);
  return lines.map((text, at) => (at < lines.length - 1 ? `${text} \\` : text));
}

/** Words keep the spaces before them, unless they begin a line. */
function joinWords(words: readonly string[], columns: number, indent: string): readonly string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of words) {
    if (line === undefined) line = word;
    else if (textWidth(line + word) <= columns) line += word;
    else {
      lines.push(line);
      line = indent + word.trimStart();
    }
  }
  return line === undefined ? lines : [...lines, line];
}

/** The number of terminal columns that a text takes, without its colours. */
export function textWidth(text: string): number {
  const plain = withoutColours(text);
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

/** Escape sequences that colour text. */
const COLOURS = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, "g");

/** The beginning of a text that fits into `columns`, without colours, with a sign that it was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let cut = "";
  for (const sign of withoutColours(text)) {
    if (textWidth(cut + sign) > columns - 1) break;
    cut += sign;
  }
  return `${cut}…`;
}

/** A text without its colours. */
export function withoutColours(text: string): string {
  return text.replaceAll(COLOURS, "");
}

/** The colours of text. */
export interface Paint {
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  readonly cyan: (text: string) => string;
  readonly bold: (text: string) => string;
}

/** When output is coloured; `auto` decides by the environment and the terminal. */
export type ColorChoice = "auto" | "always" | "never";

const asItIs = (text: string): string => text;
const PLAIN: Paint = { red: asItIs, yellow: asItIs, green: asItIs, cyan: asItIs, bold: asItIs };

/** Colours for one stream, by the rule of {@link isColoured}. */
export async function openPaint(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
  color: ColorChoice = "auto",
): Promise<Paint> {
  if (!isColoured(stream, env, color)) return PLAIN;
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
