import { createDraw, type Draw } from "../../chaos/random.ts";
import { drawTable } from "./draw-table.ts";
import type { DrawnFile } from "./drawn-table.ts";
import { judgeSent, type Others } from "./judge-sent.ts";
import { runCheck, type CommandLine } from "./run-check.ts";
import { writeCsv } from "./write-csv.ts";
import { writeJson } from "./write-json.ts";

/** Which files to draw, by seeds that follow one another. */
export interface TableOrder {
  readonly first: number;
  readonly files: number;
  readonly directory: string;
  readonly commandLine: CommandLine;
}

/** A file of which something wrong was sent, or a row lost. */
interface WrongFile {
  readonly file: DrawnFile;
  readonly options: readonly string[];
  readonly why: string;
  readonly told: string;
}

/** What became of drawn files. */
class TableScore {
  files = 0;
  right = 0;
  leftOut = 0;
  readonly asked = new Map<string, number>();
  readonly wrong: WrongFile[] = [];

  summary(): string {
    const asked = [...this.asked].sort((a, b) => b[1] - a[1]);
    const sum = asked.reduce((all, [, count]) => all + count, 0);
    const reasons = asked.map(([why, count]) => `${why} ${count}`).join(", ");
    return `${this.files} tables: ${this.wrong.length} wrong, ${this.right} right (${this.leftOut} rows named and left out), ${sum} asked about (${reasons})`;
  }
}

/** Draws a file: three of four are CSV. */
export function drawFile(draw: Draw, seed: number): DrawnFile {
  const isCsv = draw.percent(75);
  const table = drawTable(draw, isCsv);
  return isCsv ? writeCsv(draw, table, seed) : writeJson(draw, table, seed);
}

/** The options that a draw gives a command. */
export function drawOptions(draw: Draw): { others: Others; options: string[] } {
  const others = draw.oneOf(["send", "send", "drop"] as const);
  const options = ["--other-columns", others];
  if (draw.percent(50)) options.push("--totals", "skip");
  if (draw.percent(50)) options.push("--on-invalid", "skip");
  return { others, options };
}

/** Draws tables, reads each with some options, and compares what would be sent with what they hold. */
export async function judgeTables({ first, files, directory, commandLine }: TableOrder): Promise<TableScore> {
  const score = new TableScore();
  for (let seed = first; seed < first + files; seed++) {
    const draw = createDraw(seed);
    const file = drawFile(draw, seed);
    const { others, options } = drawOptions(draw);
    const end = await runCheck(file, options, directory, commandLine);
    const judgement = judgeSent(file, others, end);
    score.files++;
    if (judgement.kind === "wrong") {
      score.wrong.push({ file, options, why: judgement.why, told: end.told });
    } else if (judgement.kind === "asked") {
      score.asked.set(judgement.why, (score.asked.get(judgement.why) ?? 0) + 1);
    } else {
      score.right++;
      score.leftOut += judgement.leftOut;
    }
  }
  return score;
}
