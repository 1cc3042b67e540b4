// A script that a user would write: csv-parse or JSON.parse, one batch after the other with fetch.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { parse } from "csv-parse";

type Row = Record<string, string>;

const [file = "", way = "csv", url = ""] = process.argv.slice(2);

function toRecord(row: Row): Row {
  const record: Row = {};
  for (const [field, value] of Object.entries(row)) {
    if (value === "") continue;
    if (field.startsWith("date_")) record[field] = value.split("/").reverse().join("-");
    else if (field.endsWith("_amount")) record[field] = value.replaceAll(" ", "").replace(",", ".");
    else record[field] = value;
  }
  return record;
}

async function send(rows: readonly Row[]): Promise<void> {
  const response = await fetch(`${url}/api/items/commandes/`, {
    method: "POST",
    headers: { "content-type": "application/json", access_token: "bench" },
    body: JSON.stringify(rows.map(toRecord)),
  });
  const { msg } = (await response.json()) as { msg?: string };
  if (!response.ok) throw new Error(`${response.status} ${msg ?? ""}`);
}

let batch: Row[] = [];

async function add(row: Row): Promise<void> {
  batch.push(row);
  if (batch.length === 500) await send(batch.splice(0));
}

if (way === "whole") {
  const text = await readFile(file, "utf8");
  // NDJSON is made an array: one parse is faster than one per line.
  const rows = JSON.parse(text.startsWith("[") ? text : `[${text.trimEnd().replaceAll("\n", ",")}]`) as Row[];
  for (let from = 0; from < rows.length; from += 500) await send(rows.slice(from, from + 500));
} else if (way === "lines") {
  for await (const line of createInterface({ input: createReadStream(file) }))
    if (line.startsWith("{")) await add(JSON.parse(line.endsWith(",") ? line.slice(0, -1) : line) as Row);
} else {
  for await (const row of createReadStream(file).pipe(parse({ columns: true }))) await add(row as Row);
}
if (batch.length > 0) await send(batch);
