import { textWidth, withoutColours } from "./text-width.ts";

/** A command or options to be pasted: what follows the words that lead to it, up to the next clause. */
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
