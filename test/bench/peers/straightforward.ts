// A script that a user would write: csv-parse or JSON.parse, one batch after the other with fetch.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { parse } from "csv-parse";

type Row = Record<string, string>;

const [file = "", format = "csv", url = ""] = process.argv.slice(2);

async function* readRows(): AsyncGenerator<Row> {
  if (format === "json") {
    yield* JSON.parse(await readFile(file, "utf8")) as Row[];
  } else if (format === "ndjson") {
    for await (const line of createInterface({ input: createReadStream(file) }))
      yield JSON.parse(line) as Row;
  } else {
    const delimiter = format === "semicolon" ? ";" : ",";
    yield* createReadStream(file).pipe(parse({ columns: true, delimiter })) as AsyncIterable<Row>;
  }
}

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

async function send(records: readonly Row[]): Promise<void> {
  const response = await fetch(`${url}/api/items/commandes/`, {
    method: "POST",
    headers: { "content-type": "application/json", access_token: "bench" },
    body: JSON.stringify(records),
  });
  const { msg } = (await response.json()) as { msg?: string };
  if (!response.ok) throw new Error(`${response.status} ${msg ?? ""}`);
}

let batch: Row[] = [];
for await (const row of readRows()) {
  batch.push(toRecord(row));
  if (batch.length === 500) {
    await send(batch);
    batch = [];
  }
}
if (batch.length > 0) await send(batch);
