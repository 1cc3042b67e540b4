import { createDraw, type Draw } from "../../chaos/random.ts";
import { drawSparse } from "./draw-sparse.ts";
import { drawCleanTable } from "./draw-table.ts";
import type { DrawnFile } from "./drawn-table.ts";
import { judgeSent, type Judgement } from "./judge-sent.ts";
import { keepFile, type TableOrder, type TableScore } from "./judge-tables.ts";
import { runCheck } from "./run-check.ts";
import { writeCsv } from "./write-csv.ts";

/** Of 5,000 clean tables with full rows at most 5 may be asked about titles or headers. */
const ASKED_SHARE = 0.001;
/** Half of all are sparse: of 5,000 at most 12 may be asked about totals, rows unlike all others, or their end. */
const ODD_SHARE = 1 / 400;
/** At most 1 % of the texts in windows-1252 may be asked about their encoding, in these languages. */
const ENCODING_SHARE = 0.01;
const LANGUAGES = new Set(["fr", "de", "es", "it"]);
const SHAPE_CODES = /header|title|second-table|nameless/;
const ODD_CODES = /total|odd row|cut-file/;

const OPTIONS = ["--other-columns", "send"];

/**
 * Draws clean tables and counts which are asked about: half of them hold many blank cells, and half of the others are in
 * windows-1252.
 */
export async function judgeClean(order: TableOrder, keep?: string): Promise<TableScore> {
  const { first, files } = order;
  const asked = new Map<string, number>();
  const wrong: string[] = [];
  let [plain, shapes, odd, encoded, encodings] = [0, 0, 0, 0, 0];
  for (let seed = first; seed < first + files; seed++) {
    const draw = createDraw(seed);
    const isSparse = seed % 2 === 0;
    const { file, judgement, told, counts } = await (isSparse ? checkSparse : checkPlain)(draw, seed, order);
    if (!isSparse) plain++;
    if (counts) encoded++;
    if (judgement.kind === "wrong") wrong.push(`WRONG clean seed ${seed}: ${judgement.why}`);
    if (judgement.kind !== "asked") continue;
    const { why } = judgement;
    asked.set(why, (asked.get(why) ?? 0) + 1);
    if (!isSparse && SHAPE_CODES.test(why)) shapes++;
    if (ODD_CODES.test(why)) odd++;
    if (counts && why.includes("encoding")) encodings++;
    if (keep !== undefined) keepFile(keep, file, `${why}\n${told}`);
  }
  const reasons = [...asked].map(([why, count]) => `${why} ${count}`).join(", ");
  const isHeld =
    wrong.length === 0 &&
    shapes <= Math.max(1, plain * ASKED_SHARE) &&
    odd <= Math.max(1, files * ODD_SHARE) &&
    encodings <= Math.max(1, encoded * ENCODING_SHARE);
  return {
    lines: [
      ...wrong,
      `${files} clean tables: ${wrong.length} wrong, ${odd} asked about totals, odd rows or their end, ${shapes} of ${plain} with full rows about titles or headers, ${encodings} of ${encoded} in windows-1252 about the encoding (all questions: ${reasons})`,
    ],
    isHeld,
  };
}

interface Checked {
  readonly file: Pick<DrawnFile, "name" | "bytes">;
  readonly judgement: Judgement;
  readonly told: string;
  /** True for a file in windows-1252 whose questions about its encoding count. */
  readonly counts: boolean;
}

async function checkPlain(draw: Draw, seed: number, order: TableOrder): Promise<Checked> {
  const table = drawCleanTable(draw);
  const isEncoded = draw.percent(50);
  const file = writeCsv(draw, table, seed, isEncoded ? "windows-1252" : "utf8");
  const end = await runCheck(file, OPTIONS, order.directory, order.commandLine);
  const counts = isEncoded && LANGUAGES.has(table.language.name) && file.bytes.some((byte) => byte > 127);
  return { file, judgement: judgeSent(file, "send", end), told: end.told, counts };
}

async function checkSparse(draw: Draw, seed: number, order: TableOrder): Promise<Checked> {
  const { kind, text, records } = drawSparse(draw);
  const file = { name: `sparse-${kind}-${seed}.csv`, bytes: Buffer.from(text) };
  const { code, sent, why, told } = await runCheck(file, OPTIONS, order.directory, order.commandLine);
  const isAsked = code === 3;
  const isWrong = sent.length !== (isAsked ? 0 : records);
  const judgement: Judgement = isWrong
    ? { kind: "wrong", why: `it holds ${records} records, and sent are ${sent.length}` }
    : isAsked
      ? { kind: "asked", why }
      : { kind: "right", leftOut: 0 };
  return { file, judgement, told, counts: false };
}
