import { RecPushError } from "./failure.ts";

/** The advice for an error about a sheet that was not named: which sheet it is, and the option that reads another. */
export function referToSheets(name: string, others: readonly string[]): string {
  const [first = "NAME"] = others;
  const more = others.length > 1 ? ` (there are ${others.length})` : "";
  return `the sheet ${quoteText(name, 40)} is read, the first that holds a table; --sheet ${quoteWord(first)} reads another${more}`;
}

type Shell = "posix" | "powershell";

/** The shell that a command is pasted into. On Windows the shells of Git and MSYS2 set MSYSTEM. */
const SHELL: Shell =
  process.platform === "win32" && process.env["MSYSTEM"] === undefined ? "powershell" : "posix";

/** Words that no shell changes. PowerShell makes several of what is parted by commas, and expands what begins with `@`. */
const PLAIN: Readonly<Record<Shell, RegExp>> = {
  posix: /^[\w.,:/=@%+-]+$/,
  powershell: /^[\w./\\][\w.:/\\=+-]*$/,
};

const EXPANDED_IN_DOUBLE_QUOTES: Readonly<Record<Shell, RegExp>> = {
  posix: /["$`\\!]/,
  powershell: /["$`\u201c-\u201e]/,
};

/** Quotes one argument so that it can be pasted into the shell at hand. */
export function quoteWord(word: string): string {
  return quoteFor(SHELL, word);
}

/** Such a word at the end of a sentence would not show whether its point is its own. */
const ENDS_SENTENCE = /\w\.$/;

/** Quotes one argument for a shell. */
export function quoteFor(shell: Shell, word: string): string {
  if (PLAIN[shell].test(word) && !ENDS_SENTENCE.test(word)) return word;
  if (shell === "posix" && !isVisible(word)) return quoteHidden(word);
  if (!EXPANDED_IN_DOUBLE_QUOTES[shell].test(word)) return `"${word}"`;
  return shell === "posix"
    ? `'${word.replaceAll("'", String.raw`'\''`)}'`
    : `'${word.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`;
}

/**
 * Line ends, tabs and characters that a terminal hides or obeys, as bytes between `$'` and `'`: bash, zsh and ksh undo
 * them, and what is shown can be pasted.
 */
function quoteHidden(word: string): string {
  const inside = Array.from(word, (character) => {
    if (character === "'" || character === "\\") return `\\${character}`;
    if (isVisible(character)) return character;
    return Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  });
  return `$'${inside.join("")}'`;
}

function unquoteHidden(part: string): string {
  const bytes = [...part.slice(2, -1).matchAll(/\\x([\da-f]{2})|\\(.)|[^\\]+/gs)].map(
    ([all, hex, escaped]) =>
      hex === undefined ? Buffer.from(escaped ?? all) : Buffer.from([Number.parseInt(hex, 16)]),
  );
  return Buffer.concat(bytes).toString();
}

/** The parts of a line by shell: spaces, quoted parts, escaped characters, plain ones. */
const PARTS: Readonly<Record<Shell, RegExp>> = {
  posix: /\s+|\$'(?:[^'\\]|\\.)*'|"[^"]*"|'[^']*'|\\.|\$|[^\s"'\\$]+/gs,
  powershell: /\s+|"[^"]*"|'(?:[^']|'')*'|[^\s"']+/gs,
};

/** Splits a line of words that {@link quoteWord} wrote, as the shell at hand does. */
export function splitWords(line: string): string[] {
  return splitFor(SHELL, line);
}

/** Splits a line of words as a shell does. */
export function splitFor(shell: Shell, line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [part] of line.matchAll(PARTS[shell])) {
    if (/^\s/.test(part)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + unquote(shell, part);
  }
  return word === undefined ? words : [...words, word];
}

function unquote(shell: Shell, part: string): string {
  if (shell === "posix" && part.startsWith("$'")) return unquoteHidden(part);
  const isSingle = part.startsWith("'");
  if (isSingle || part.startsWith('"')) {
    const inside = part.slice(1, -1);
    return isSingle && shell === "powershell" ? inside.replaceAll(/(['\u2018-\u201b])\1/g, "$1") : inside;
  }
  return shell === "posix" ? part.replace(/^\\/, "") : part;
}

/**
 * The error for a bad option value. `option` is a flag or the path of a key in the config; `expected` continues the
 * sentence "expected ...".
 */
export function badOptionValue(
  option: string,
  value: string,
  expected: string,
  cause?: unknown,
): RecPushError {
  return new RecPushError("bad-option-value", `${option} ${quoteText(value)}: expected ${expected}`, {
    cause,
  });
}

/** Most texts are ASCII: the sets of Unicode, which take half a millisecond, are made only for others. */
const PRINTABLE = /^[ -~]*$/;

let hidden: RegExp | undefined;

/**
 * Controls, format characters, lone surrogates, private and unassigned characters, line separators: a terminal hides or
 * obeys them.
 */
function hiddenCharacters(): RegExp {
  hidden ??= /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  return hidden;
}

/**
 * Shows text from a file or the service on one line of a terminal: invisible characters become escapes, and a longer
 * text is cut at `maxLength` UTF-16 units. All kinds of spaces are kept.
 */
export function showText(text: string, maxLength = 120): string {
  const cut =
    text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
  return PRINTABLE.test(cut) ? cut : cut.replace(hiddenCharacters(), escapeCharacter);
}

/** Like {@link showText}, in double quotes: for a cell or a header inside a sentence. */
export function quoteText(text: string, maxLength = 60): string {
  return `"${showText(text, maxLength)}"`;
}

/** JSON with the same meaning, in which hidden characters are escaped. */
export function escapeHidden(json: string): string {
  if (PRINTABLE.test(json)) return json;
  return json.replace(hiddenCharacters(), (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hexOf(character.charCodeAt(at))}`).join(""),
  );
}

/** True if {@link showText} has nothing to escape. */
export function isVisible(text: string): boolean {
  return PRINTABLE.test(text) || text.search(hiddenCharacters()) === -1;
}

function escapeCharacter(character: string): string {
  switch (character) {
    case "\n":
      return "\\n";
    case "\r":
      return "\\r";
    case "\t":
      return "\\t";
    default: {
      const hex = hexOf(character.codePointAt(0) ?? 0);
      return character.length === 1 ? `\\u${hex}` : `\\u{${hex}}`;
    }
  }
}

function hexOf(code: number): string {
  return code.toString(16).padStart(4, "0");
}

/** The name of a cell of a sheet as spreadsheets show it: `C12`. The column counts from 1. */
export function cellName(column: number, row: number): string {
  return `${columnLetters(column)}${row}`;
}

/** The letters of a column, counted from 1: `A`, `Z`, `AA`. */
export function columnLetters(column: number): string {
  const last = String.fromCharCode(65 + ((column - 1) % 26));
  return column <= 26 ? last : columnLetters(Math.floor((column - 1) / 26)) + last;
}
