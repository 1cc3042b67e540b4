import iconv from "iconv-lite";
import { splitWords } from "../../../src/model/text.ts";
import { createDraw, type Draw } from "../../chaos/random.ts";
import { drawTable } from "./draw-table.ts";
import type { DrawnColumn, DrawnFile, DrawnLine, DrawnRow, DrawnTable } from "./drawn-table.ts";
import { type CommandEnd, type Judgement, judgeSent, type Others } from "./judge-sent.ts";
import { readAdvice } from "./read-advice.ts";
import { runCheck } from "./run-check.ts";
import { writeCsv } from "./write-csv.ts";

/** The right value of a nested member, which equals nothing that can be sent. */
const NESTED = "\u0000nested";
const SHAPES = ["array", "array", "lines", "lines", "wrapper", "envelope", "nested wrapper"] as const;
const WRAPPERS = ["data", "items", "records", "rows", "results", "value", "commandes", "orders"];

/** Error answers of services, which hold no records. */
const ERRORS: readonly object[] = [
  { error: "unauthorized" },
  { error: { code: 401, message: "token expired" } },
  { status: "error", message: "internal error", data: [] },
  { code: 500, message: "Internal Server Error" },
  { success: false, errors: [{ code: "E1", message: "database locked" }] },
];

/** Writes a drawn table as JSON in some shape: titles and blank rows are left out, totals are written like rows. */
function writeJson(draw: Draw, table: DrawnTable, seed: number): DrawnFile {
  const oddities = table.oddities.filter((oddity) => /totals|keys that are none/.test(oddity));
  const columns = table.columns.map((column) => ({ ...column }));
  const base = { name: `t${seed}.json`, columns, oddities, mustAsk: false, facts: table.facts };
  if (draw.percent(4)) {
    const bytes = Buffer.from(JSON.stringify(draw.oneOf(ERRORS), undefined, draw.oneOf([0, 2])));
    return { ...base, bytes, rows: [], oddities: ["error answer"], mustAsk: true };
  }
  const nested = draw.percent(10) ? draw.oneOf(["object", "array", "empty array"] as const) : undefined;
  if (nested !== undefined) oddities.push(`member is an ${nested}`);
  const objects = table.lines.filter(({ kind }) => kind === "row" || kind === "total");
  const writes = createWriter(draw, columns, nested);
  const texts = objects.map((line) => writes(line));
  const shape =
    nested !== undefined && texts.length === 1 ? draw.oneOf(["array", "lines"] as const) : draw.oneOf(SHAPES);
  const [before, between, after] = frame(draw, shape, texts.length);
  let text = before;
  const rows: DrawnRow[] = [];
  for (const [at, object] of objects.entries()) {
    if (at > 0) text += between;
    if (object.kind === "row") {
      const right =
        nested === undefined ? object.right! : [...object.right!, nested === "empty array" ? "" : NESTED];
      rows.push({ line: text.split("\n").length, right, isInvalid: object.isInvalid === true });
    }
    text += texts[at]!;
  }
  text += after;
  if (nested !== undefined) columns.push({ kind: "text", header: "details", declared: undefined });
  const encoding = draw.oneOf(["utf8", "utf8", "utf8", "utf8", "mark", "utf-16le"]);
  const bytes =
    encoding === "utf-16le"
      ? iconv.encode(text, "utf-16le", { addBOM: true })
      : Buffer.from(encoding === "mark" ? `\ufeff${text}` : text);
  return { ...base, bytes, rows, name: `t${seed}.${shape === "lines" ? "ndjson" : "json"}` };
}

/** The text before, between and after the objects. */
function frame(draw: Draw, shape: (typeof SHAPES)[number], count: number): [string, string, string] {
  const gap = draw.oneOf(["", "\n", "\n  "]);
  const name = draw.oneOf(WRAPPERS);
  const list: [string, string, string] = [`[${gap}`, `,${gap}`, `${gap === "" ? "" : "\n"}]`];
  const around = (before: string, after: string): [string, string, string] => [
    before + list[0],
    list[1],
    list[2] + after,
  ];
  const paging = draw.oneOf([
    `"count":${count}`,
    `"total":${count},"page":1`,
    `"status":"ok"`,
    `"meta":{"total":${count}}`,
    `"success":true`,
  ]);
  switch (shape) {
    case "array":
      return list;
    case "lines":
      return ["", "\n", draw.oneOf(["", "\n"])];
    case "wrapper":
      return around(`{"${name}":`, "}");
    case "envelope":
      return draw.percent(50) ? around(`{${paging},"${name}":`, "}") : around(`{"${name}":`, `,${paging}}`);
    case "nested wrapper":
      return around(`{"response":{"${name}":`, "}}");
  }
}

function createWriter(
  draw: Draw,
  columns: readonly DrawnColumn[],
  nested: string | undefined,
): (line: DrawnLine) => string {
  const asNumbers = draw.percent(60);
  const blanks = draw.oneOf(["left out", "null", "empty"] as const);
  return ({ kind, cells, right }) => {
    const members = cells.flatMap((cell, at) => {
      const { header, kind: type } = columns[at]!;
      const name = JSON.stringify(header.trim());
      if (cell === "") return blanks === "left out" ? [] : [`${name}:${blanks === "null" ? "null" : '""'}`];
      const isNumber = asNumbers && type === "amount" && kind === "row";
      return [`${name}:${isNumber ? right![at]! : JSON.stringify(cell)}`];
    });
    if (nested !== undefined && kind === "row") {
      const value = {
        object: `{"email":"a@b.example","n":${draw.between(1, 9)}}`,
        array: '[{"sku":"A","qty":1},{"sku":"B","qty":2}]',
      };
      members.push(`"details":${nested === "empty array" ? "[]" : value[nested as "array"]}`);
    }
    return `{${members.join(",")}}`;
  };
}

/** The files to draw, by consecutive seeds. */
export interface TableOrder {
  readonly first: number;
  readonly files: number;
  /** Where they are written. */
  readonly directory: string;
}

/** The results for drawn tables. */
export interface TableScore {
  readonly lines: readonly string[];
  /** True if nothing wrong was sent, and no row lost. */
  readonly isHeld: boolean;
}

/** Draws a file: three of four are CSV. */
function drawFile(draw: Draw, seed: number): DrawnFile {
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
export async function judgeTables({ first, files, directory }: TableOrder): Promise<TableScore> {
  const asked = new Map<string, number>();
  const wrong: string[] = [];
  const missed: string[] = [];
  let [right, leftOut, extra] = [0, 0, 0];
  for (let seed = first; seed < first + files; seed++) {
    const draw = createDraw(seed);
    const file = drawFile(draw, seed);
    const { others, options } = drawOptions(draw);
    const end = await runCheck(file, options, directory);
    const first = judgeSent(file, others, end);
    const run = (more: readonly string[]) => runCheck(file, more, directory);
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
    }
  }
  const reasons = [...asked].sort((a, b) => b[1] - a[1]);
  const sum = reasons.reduce((all, [, count]) => all + count, 0);
  const why = reasons.map(([code, count]) => `${code} ${count}`).join(", ");
  const counts = `${wrong.length} wrong, a row that is none sent in ${missed.length} of ${extra} with such rows, ${right} right (${leftOut} rows named and left out), ${sum} asked about (${why})`;
  const isHeld = wrong.length === 0 && missed.length <= Math.max(1, MISSED_SHARE * extra);
  return { lines: [...wrong, ...missed, `${files} drawn tables: ${counts}`], isHeld };
}

/** The end to which the advice led. */
interface FollowedEnd {
  readonly end: CommandEnd;
  /** The options with which it ended. */
  readonly options: readonly string[];
  /** Why it led nowhere; `undefined` if it did not. A stop that names what to mend in the file is not nowhere. */
  readonly deadEnd: string | undefined;
}

const MOST_STEPS = 20;
/** What a person does to a file, or to the export that made it. */
const MENDS =
  /mend|in quotes|delete|complete the row|export|join the|rename|name to the header|names to the header|move the header|split the file|keep one|header has to end|convert|close the cell|double|empty the cell|write it out|name the workbook|unpack|save it|iconv|look at the file|another: --encoding|COLUMN=field/i;

/**
 * Follows the advice of a stop to the letter: the ready line first; without one, or where it was already added, the first printed
 * answer that is true. It looks no step ahead.
 */
async function followAdvice(
  file: DrawnFile,
  { others, given }: { readonly others: Others; readonly given: readonly string[] },
  stop: CommandEnd,
  run: (options: readonly string[]) => Promise<CommandEnd>,
): Promise<FollowedEnd> {
  const options = [...given];
  let [end, typed] = [stop, given.join(" ")];
  for (let steps = 0; end.code === 3; steps++) {
    if (steps >= MOST_STEPS) return { end, options, deadEnd: "too many steps" };
    const { ready, choices } = readAdvice(end.told);
    const isNew = ready !== undefined && !typed.includes(ready);
    const answer = isNew
      ? ready
      : choices.find((one) => !typed.includes(one) && mayAnswer(one, file, others));
    if (answer === undefined) {
      const deadEnd = MENDS.test(end.told) ? undefined : "no option that is true, and nothing to mend";
      return { end, options, deadEnd };
    }
    typed = `${typed} ${answer}`;
    options.push(...splitWords(answer));
    const before = end;
    end = await run(options);
    if (end.code === 2) return { end, options, deadEnd: "an advised option is refused" };
    if (end.code === 3 && end.told === before.told)
      return { end, options, deadEnd: "the same question again" };
  }
  return { end, options, deadEnd: undefined };
}

/** False for an answer that a person who knows the file would not give. */
function mayAnswer(choice: string, file: DrawnFile, others: Others): boolean {
  const asked = [...choice.matchAll(/(--[a-z-]+) ?("[^"]*"|'[^']*'|\S*)/g)];
  return asked.every(([, flag = "", value = ""]) => isTrue(flag, value.replace(/["']/g, ""), file, others));
}

function isTrue(
  flag: string,
  value: string,
  { facts, columns, oddities }: DrawnFile,
  others: Others,
): boolean {
  switch (flag) {
    case "--decimal":
      return value === facts.decimal;
    case "--date-format":
      return value === facts.dateFormat;
    case "--delimiter":
      return value === (facts.delimiter ?? value);
    case "--encoding":
      return value.replace("!", "") === (facts.encoding ?? value);
    // Cells that hold a delimiter are in double quotes, in every file.
    case "--quote":
      return false;
    case "--null":
    case "--key-literal":
      return !oddities.includes("keys that are none");
    case "--no-header":
      return !facts.hasHeader;
    case "--other-columns":
      return value === "send";
    case "--drop":
      return oddities.some((oddity) => /member is|duplicate|nameless/.test(oddity));
    case "--json-path":
      return value !== "details";
    case "--format":
      return !oddities.includes("error answer");
    case "--header-line":
      return !/late|second/.test(oddities.join());
    case "--map": {
      const [, name = "", field = ""] = /^(.*)=(\w+)$/.exec(value) ?? [];
      const told = columns.find(({ header }, at) => String(at + 1) === name || plain(header) === plain(name));
      if (told === undefined) return true;
      return told.declared === undefined
        ? others === "send" && !columns.some(({ declared }) => declared === field) && field !== "cle"
        : told.declared === field;
    }
    // A row that truly holds little is one; where others are none, no answer is right for both.
    case "--sparse":
      return value === "keep" && !oddities.some((oddity) => /total|title|remark|rule|header/.test(oddity));
    case "--totals":
      return value === "skip" || !oddities.some((oddity) => oddity.includes("total"));
    case "--type": {
      const [, type = "", format] = /=([a-z]+)(?::(.*))?$/.exec(value) ?? [];
      const field = value.split("=")[0]!;
      const kinds = columns.filter(
        ({ declared, header }, at) =>
          declared === field ||
          (header === "" ? field === `column_${at + 1}` : plain(header) === plain(field)),
      );
      if (kinds.length > 0 && !kinds.some(({ kind }) => kind === type || (kind === "key" && type === "text")))
        return false;
      if (format === undefined) return true;
      return type === "date"
        ? format === facts.dateFormat
        : [",", "."].includes(format)
          ? format === facts.decimal
          : true;
    }
    default:
      return true;
  }
}

function plain(name: string): string {
  return name
    .normalize("NFD")
    .replace(/[^A-Za-z0-9]/g, "")
    .toLowerCase();
}
