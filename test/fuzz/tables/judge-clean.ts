import { createDraw } from "../../chaos/random.ts";
import { drawCleanTable } from "./draw-table.ts";
import { judgeSent } from "./judge-sent.ts";
import { keepFile, type TableOrder, type TableScore } from "./judge-tables.ts";
import { runCheck } from "./run-check.ts";
import { writeCsv } from "./write-csv.ts";

/** Of 5,000 clean tables at most 5 may be asked about totals, titles or headers. */
const ASKED_SHARE = 0.001;
/** At most 1 % of the texts in windows-1252 may be asked about their encoding, in these languages. */
const ENCODING_SHARE = 0.01;
const LANGUAGES = new Set(["fr", "de", "es", "it"]);
const SHAPE_CODES = /total|header|title|second-table|lost-name|nameless/;

/** Draws clean tables, half of them in windows-1252, and counts which are asked about. */
export async function judgeClean(
  { first, files, directory, commandLine }: TableOrder,
  keep?: string,
): Promise<TableScore> {
  const asked = new Map<string, number>();
  const wrong: string[] = [];
  let shapes = 0;
  let encoded = 0;
  let encodings = 0;
  for (let seed = first; seed < first + files; seed++) {
    const draw = createDraw(seed);
    const table = drawCleanTable(draw);
    const isEncoded = draw.percent(50);
    const file = writeCsv(draw, table, seed, isEncoded ? "windows-1252" : "utf8");
    const end = await runCheck(file, ["--other-columns", "send"], directory, commandLine);
    const judgement = judgeSent(file, "send", end);
    if (judgement.kind === "wrong") wrong.push(`WRONG clean seed ${seed}: ${judgement.why}`);
    const counts = isEncoded && LANGUAGES.has(table.language.name) && file.bytes.some((byte) => byte > 127);
    if (counts) encoded++;
    if (judgement.kind !== "asked") continue;
    asked.set(judgement.why, (asked.get(judgement.why) ?? 0) + 1);
    if (SHAPE_CODES.test(judgement.why)) shapes++;
    if (counts && judgement.why.includes("encoding")) encodings++;
    if (keep !== undefined) keepFile(keep, file, `${judgement.why}\n${end.told}`);
  }
  const reasons = [...asked].map(([why, count]) => `${why} ${count}`).join(", ");
  const isHeld =
    wrong.length === 0 &&
    shapes <= Math.max(1, files * ASKED_SHARE) &&
    encodings <= Math.max(1, encoded * ENCODING_SHARE);
  return {
    lines: [
      ...wrong,
      `${files} clean tables: ${wrong.length} wrong, ${shapes} asked about totals, titles or headers, ${encodings} of ${encoded} in windows-1252 about the encoding (all questions: ${reasons})`,
    ],
    isHeld,
  };
}
