import { isVisible } from "./visible-text.ts";

/** Whose rules a printed command is quoted by. */
export type Shell = "posix" | "cmd" | "powershell";

/**
 * The shell that a command is pasted into. On Windows nothing names it: cmd.exe sets PROMPT for what it starts, PowerShell does
 * not; the shells of Git and MSYS2 set MSYSTEM.
 */
export function shellOf(platform: NodeJS.Platform, env: Readonly<Record<string, string | undefined>>): Shell {
  if (platform !== "win32" || env["MSYSTEM"] !== undefined) return "posix";
  return env["PROMPT"] === undefined ? "powershell" : "cmd";
}

const SHELL = shellOf(process.platform, process.env);

/** Words that no shell changes. PowerShell makes several of what is parted by commas, and expands what begins with `@`. */
const PLAIN: Readonly<Record<Shell, RegExp>> = {
  posix: /^[\w.,:/=@%+-]+$/,
  cmd: /^[\w.,:/\\=@+-]+$/,
  powershell: /^[\w./\\][\w.:/\\=+-]*$/,
};

const EXPANDED_IN_DOUBLE_QUOTES: Readonly<Record<Exclude<Shell, "cmd">, RegExp>> = {
  posix: /["$`\\!]/,
  powershell: /["$`\u201c-\u201e]/,
};

/** Quotes one argument so that it can be pasted into the shell at hand. */
export function quoteWord(word: string): string {
  return quoteFor(SHELL, word);
}

/** Quotes one argument for a shell. */
export function quoteFor(shell: Shell, word: string): string {
  if (PLAIN[shell].test(word)) return word;
  if (shell === "cmd") return quoteForCmd(word);
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

/**
 * By the rules of C programs, which undo the quotes. A percent sign is between quoted parts: with a quote on both sides it
 * begins no variable's name that exists, and a typed line keeps it.
 */
function quoteForCmd(word: string): string {
  const inside = word.replaceAll(/(\\*)("|$)/g, (_, slashes: string, quote: string) =>
    quote === "" ? slashes + slashes : `${slashes}${slashes}""`,
  );
  return `"${inside.replaceAll("%", '"%"')}"`;
}

/** The parts of a line by shell: spaces, quoted parts, escaped characters, plain ones. */
const PARTS: Readonly<Record<Shell, RegExp>> = {
  posix: /\s+|\$'(?:[^'\\]|\\.)*'|"[^"]*"|'[^']*'|\\.|\$|[^\s"'\\$]+/gs,
  cmd: /\s+|"(?:[^"]|"")*"|\^.|[^\s"^]+/gs,
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
  const isDouble = part.startsWith('"');
  const isSingle = part.startsWith("'") && shell !== "cmd";
  if (isDouble || isSingle) {
    const inside = part.slice(1, -1);
    if (shell === "posix") return inside;
    if (shell === "powershell") return isSingle ? inside.replaceAll(/(['\u2018-\u201b])\1/g, "$1") : inside;
    return inside.replaceAll(/(\\*)(""|$)/g, (_, slashes: string, quote: string) =>
      quote === "" ? halfOf(slashes) : `${halfOf(slashes)}"`,
    );
  }
  if (shell === "posix") return part.replace(/^\\/, "");
  return shell === "cmd" ? part.replace(/^\^/, "") : part;
}

function halfOf(slashes: string): string {
  return slashes.slice(0, Math.ceil(slashes.length / 2));
}
