// The leanest script for JSON that a user would write: no generator, one await per batch.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

type Row = Record<string, string>;

const [file = "", way = "whole", url = ""] = process.argv.slice(2);

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

if (way === "whole") {
  const text = await readFile(file, "utf8");
  // NDJSON is made an array: one parse is faster than one per line.
  const rows = JSON.parse(text.startsWith("[") ? text : `[${text.trimEnd().replaceAll("\n", ",")}]`) as Row[];
  for (let from = 0; from < rows.length; from += 500) await send(rows.slice(from, from + 500));
} else {
  let batch: Row[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!line.startsWith("{")) continue;
    batch.push(JSON.parse(line.endsWith(",") ? line.slice(0, -1) : line) as Row);
    if (batch.length === 500) await send(batch.splice(0));
  }
  if (batch.length > 0) await send(batch);
}
