import iconv from "iconv-lite";
import type { Draw } from "../../chaos/random.ts";
import type { DrawnColumn, DrawnFile, DrawnLine, DrawnRow, DrawnTable } from "./drawn-table.ts";

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
export function writeJson(draw: Draw, table: DrawnTable, seed: number): DrawnFile {
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
