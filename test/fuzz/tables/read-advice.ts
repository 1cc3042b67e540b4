/** The advice that a command printed when it stopped. */
interface PrintedAdvice {
  /** The options of the ready line: `add ...`. */
  readonly ready: string | undefined;
  /** Options that answer the printed questions, in the order printed. */
  readonly choices: readonly string[];
}

/** An option with its value as a shell reads it; a comma after a space or a colon is a value. */
const OPTION =
  /--[a-z][a-z-]*(?:[ =](?!--)(?:[^\s"';,)]|,(?=\S)|(?<=[: ]),|(?<=[^\s"']),(?=[^\s])|"(?:[^"\\]|\\.)*"|'[^']*')*)?/;
/** Options that are printed together answer one question. */
const ANSWER = new RegExp(`${OPTION.source}(?: ${OPTION.source})*`, "g");
/** Options without a value: the next word belongs to the sentence. */
const BARE = new Set(["--flatten", "--no-header", "--stale-ok", "--whole"]);
/** Words of the sentence after an option whose value is left to the reader. */
const NO_VALUE =
  /^(?:COLUMN=field|leaves?|sends?|takes?|says?|is|are|where|which|or|and|reads?|keeps?|has|N|for|of|the)$/;
/** Options that say nothing about the file. */
const OTHER = new Set(["--sandbox", "--table", "--url", "--quiet", "--yes"]);

/** Reads the lines that a command printed on standard error. */
export function readAdvice(stderr: string): PrintedAdvice {
  const lines = stderr.split("\n");
  const ready = lines.find((line) => line.startsWith("  add "))?.slice("  add ".length);
  const choices: string[] = [];
  for (const line of lines) {
    if (line.startsWith("  add ") || /inferred; to fix it/.test(line)) continue;
    for (const [match] of line.matchAll(ANSWER)) {
      const options = [...match.matchAll(new RegExp(OPTION.source, "g"))].map(([option]) =>
        trimOption(option),
      );
      const answer = options.filter((option) => option !== undefined).join(" ");
      if (answer !== "" && !choices.includes(answer)) choices.push(answer);
    }
  }
  return { ready, choices };
}

function trimOption(match: string): string | undefined {
  const [, flag = "", value = ""] = /^(--[a-z-]+)[ =]?(.*)$/s.exec(match) ?? [];
  if (OTHER.has(flag)) return undefined;
  if (BARE.has(flag)) return flag;
  const plain = value.length > 1 && !value.endsWith("amount:.") ? value.replace(/(?<![:])[.:]$/, "") : value;
  return plain === "" || NO_VALUE.test(plain) ? undefined : `${flag} ${plain}`;
}
