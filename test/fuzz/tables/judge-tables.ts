import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDraw, type Draw } from "../../chaos/random.ts";
import { drawTable } from "./draw-table.ts";
import type { DrawnFile } from "./drawn-table.ts";
import { followAdvice } from "./follow-advice.ts";
import { type CommandEnd, judgeSent, type Judgement, type Others } from "./judge-sent.ts";
import { runCheck, type CommandLine } from "./run-check.ts";
import { writeCsv } from "./write-csv.ts";
import { writeJson } from "./write-json.ts";

/** The files to draw, by consecutive seeds. */
export interface TableOrder {
  readonly first: number;
  readonly files: number;
  readonly directory: string;
  readonly commandLine: CommandLine;
}

/** The results for drawn tables. */
export interface TableScore {
  readonly lines: readonly string[];
  /** True if nothing wrong was sent, and no row lost. */
  readonly isHeld: boolean;
}

/** Draws a file: three of four are CSV. */
export function drawFile(draw: Draw, seed: number): DrawnFile {
  const isCsv = draw.percent(75);
  const table = drawTable(draw, isCsv);
  return isCsv ? writeCsv(draw, table, seed) : writeJson(draw, table, seed);
}

/** Draws the options of a command. */
function drawOptions(draw: Draw): { others: Others; options: string[] } {
  const others = draw.oneOf(["send", "send", "drop"] as const);
  const options = ["--other-columns", others];
  if (draw.percent(50)) options.push("--totals", "skip");
  if (draw.percent(50)) options.push("--on-invalid", "skip");
  return { others, options };
}

/**
 * A file that was asked about counts as asked, whatever came of it, unless the advice led nowhere, or to other records than the
 * file holds.
 */
function judgeFollowed(
  file: DrawnFile,
  others: Others,
  { end, options, deadEnd }: Awaited<ReturnType<typeof followAdvice>>,
  first: Judgement,
): Judgement {
  const why = (what: string): string => `${what}, after ${options.join(" ")}: ${end.told}`;
  if (deadEnd !== undefined) return { kind: "wrong", why: why(deadEnd) };
  // What a spoilt header asks about a column, the next command takes from its values: the person who knows them is not asked.
  if (end.code === 3 || file.oddities.includes("header")) return first;
  const dropped = options.filter((_, at) => options[at - 1] === "--drop");
  const known = { ...file, mustAsk: false };
  const judgement = options.includes("--flatten")
    ? judgeSent(known, others, withoutDetails(end), [...dropped, "details"])
    : judgeSent(known, others, end, dropped);
  return "why" in judgement && judgement.kind !== "asked" ? { ...judgement, why: why(judgement.why) } : first;
}

/** The content of this member is not judged. */
function withoutDetails(end: CommandEnd): CommandEnd {
  const sent = end.sent.map((record) =>
    Object.fromEntries(Object.entries(record).filter(([field]) => !field.startsWith("details_"))),
  );
  return { ...end, sent };
}

/** Of tables with totals, remarks and the like, so many may be sent without a word about one of them. */
const MISSED_SHARE = 0.03;
const EXTRA_ROWS = /total|remarks|repeated header|rule|header/;

/** Draws tables, reads each with some options, follows the advice of each stop, and compares what would be sent with what they hold. */
export async function judgeTables(order: TableOrder, keep?: string): Promise<TableScore> {
  const { first, files, directory, commandLine } = order;
  const asked = new Map<string, number>();
  const wrong: string[] = [];
  const missed: string[] = [];
  let [right, leftOut, extra] = [0, 0, 0];
  for (let seed = first; seed < first + files; seed++) {
    const draw = createDraw(seed);
    const file = drawFile(draw, seed);
    const { others, options } = drawOptions(draw);
    const end = await runCheck(file, options, directory, commandLine);
    const first = judgeSent(file, others, end);
    const run = (more: readonly string[]) => runCheck(file, more, directory, commandLine);
    const followed =
      first.kind === "asked" && !file.oddities.includes("error answer")
        ? await followAdvice(file, { others, given: options }, end, run)
        : undefined;
    const judgement = followed === undefined ? first : judgeFollowed(file, others, followed, first);
    if (EXTRA_ROWS.test(file.oddities.join())) extra++;
    if (judgement.kind === "right") {
      right++;
      leftOut += judgement.leftOut;
    } else if (judgement.kind === "asked") {
      asked.set(judgement.why, (asked.get(judgement.why) ?? 0) + 1);
    } else {
      const text = `${judgement.kind.toUpperCase()} seed ${seed} ${options.join(" ")} [${file.oddities.join(", ")}]\n  ${judgement.why}`;
      (judgement.kind === "missed" ? missed : wrong).push(text);
      if (keep !== undefined) keepFile(keep, file, `${text}\n${end.told}`);
    }
  }
  const reasons = [...asked].sort((a, b) => b[1] - a[1]);
  const sum = reasons.reduce((all, [, count]) => all + count, 0);
  const why = reasons.map(([code, count]) => `${code} ${count}`).join(", ");
  const counts = `${wrong.length} wrong, a row that is none sent in ${missed.length} of ${extra} with such rows, ${right} right (${leftOut} rows named and left out), ${sum} asked about (${why})`;
  const isHeld = wrong.length === 0 && missed.length <= Math.max(1, MISSED_SHARE * extra);
  return { lines: [...wrong, ...missed, `${files} drawn tables: ${counts}`], isHeld };
}

/** Keeps a drawn file and the output about it. */
export function keepFile(
  directory: string,
  { name, bytes }: Pick<DrawnFile, "name" | "bytes">,
  told: string,
): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, name), bytes);
  writeFileSync(join(directory, `${name}.told`), told);
}
