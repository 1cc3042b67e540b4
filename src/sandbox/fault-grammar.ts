interface GrammarRow {
  readonly key: string;
  /** The text after `=`; empty if there is none, in brackets if it is optional. */
  readonly value: string;
  readonly meaning: string;
  readonly part: "what happens" | "to which requests";
}

/** Every word of a fault rule, in the order of the help. */
export const faultGrammar = [
  { key: "status", value: "CODE", meaning: "answer this status; nothing is applied", part: "what happens" },
  { key: "msg", value: "TEXT", meaning: "the msg of the answer", part: "what happens" },
  {
    key: "body",
    value: "html",
    meaning: "answer an HTML page, as proxies do; nothing is applied",
    part: "what happens",
  },
  { key: "empty", value: "", meaning: "answer without a body; nothing is applied", part: "what happens" },
  {
    key: "redirect",
    value: "URL",
    meaning: "answer 302 (or status=) to URL; nothing is applied",
    part: "what happens",
  },
  { key: "retry-after", value: "SECONDS", meaning: "Retry-After header, in seconds", part: "what happens" },
  {
    key: "retry-after-date",
    value: "SECONDS",
    meaning: "Retry-After header, as the date this far from now",
    part: "what happens",
  },
  {
    key: "drop",
    value: "before|after|midway",
    meaning: "cut the connection: before or after applying, or midway through the answer",
    part: "what happens",
  },
  { key: "hang", value: "", meaning: "never answer; nothing is applied", part: "what happens" },
  {
    key: "after-applying",
    value: "[N]",
    meaning: "apply all records first, or the first N (status, body, empty, redirect, hang)",
    part: "what happens",
  },
  {
    key: "latency",
    value: "MS",
    meaning: "wait this long before applying and answering",
    part: "what happens",
  },
  {
    key: "slow-body",
    value: "[MS]",
    meaning: "apply, and send the answer bit by bit for this long (5000)",
    part: "what happens",
  },
  {
    key: "rate",
    value: "N",
    meaning: "above N requests a second: 429 with Retry-After",
    part: "what happens",
  },
  { key: "body-limit", value: "BYTES", meaning: "a larger body: 413", part: "what happens" },
  {
    key: "token-life",
    value: "SECONDS",
    meaning: "401 this long after the token's first use, until the rule is set again",
    part: "what happens",
  },
  {
    key: "refuse",
    value: "FIELD:VALUE",
    meaning: "a batch with such a record: 400 naming it; nothing is applied",
    part: "what happens",
  },
  {
    key: "kind",
    value: "create|update",
    meaning: "only batches with a create, or only those without",
    part: "to which requests",
  },
  { key: "table", value: "NAME", meaning: "only this table", part: "to which requests" },
  { key: "match", value: "TEXT", meaning: "only bodies with this text", part: "to which requests" },
  { key: "skip", value: "N", meaning: "not the first N", part: "to which requests" },
  { key: "first", value: "N", meaning: "only the first N (after those skipped)", part: "to which requests" },
  { key: "every", value: "N", meaning: "only each Nth (after those skipped)", part: "to which requests" },
  {
    key: "chance",
    value: "0..1",
    meaning: "only with this probability, the same for the same seed",
    part: "to which requests",
  },
  { key: "times", value: "N", meaning: "strike at most N times", part: "to which requests" },
] as const satisfies readonly GrammarRow[];

/** A word that a fault rule may hold. */
export type FaultKey = (typeof faultGrammar)[number]["key"];

/** The grammar as text for a terminal, one line a word. */
export function faultGrammarText(): string {
  const words = faultGrammar.map((row) => ({ row, word: wordOf(row) }));
  const width = Math.max(...words.map(({ word }) => word.length));
  const lines: string[] = [];
  let part = "";
  for (const { row, word } of words) {
    if (row.part !== part) lines.push(`  ${row.part}:`);
    part = row.part;
    lines.push(`    ${word.padEnd(width)}  ${row.meaning}`);
  }
  return lines.join("\n");
}

function wordOf(row: GrammarRow): string {
  if (row.value === "") return row.key;
  return row.value.startsWith("[") ? `${row.key}[=${row.value.slice(1, -1)}]` : `${row.key}=${row.value}`;
}
