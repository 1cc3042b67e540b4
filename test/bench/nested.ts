import type { BenchRun } from "./bench-run.ts";
import { provideInput, provideText } from "./inputs.ts";
import { recPush } from "./peers.ts";
import type { ScenarioResult } from "./result.ts";
import { COLUMNS, makeRows } from "./rows.ts";
import { runWays } from "./ways.ts";

/** The file is nearly twice as long, and so are the records. */
const MAX_RATIO = 2;
const TOWNS = ["Nîmes", "Paris", "Orléans", "Besançon", "Lyon"];
const TYPES = ["client_nom=text", "client_adresse_ville=text", "client_adresse_cp=text"];
const OPTIONS = ["--flatten", "--drop", "lignes", ...TYPES.flatMap((type) => ["--type", type])];

/** An export as a web shop writes it, with an object and an array in each record, beside the plain JSON one. */
export async function runNested(run: BenchRun): Promise<ScenarioResult> {
  const plain = await provideInput(run.directory, "json", run.rows);
  const nested = await provideText(run.directory, `nested-${run.rows}.json`, {
    format: "json",
    rows: run.rows,
    pieces: () => nestedRecords(run.rows),
  });
  const { result } = await runWays(
    run,
    {
      name: "nested",
      title: `JSON with objects and arrays, local sink: ${run.rows.toLocaleString("en")} rows`,
    },
    { who: "plain JSON", peer: recPush(), input: plain },
    [{ who: "nested JSON, --flatten", peer: recPush(...OPTIONS), input: nested, maxRatio: MAX_RATIO }],
  );
  return result;
}

function* nestedRecords(rows: number): Generator<string> {
  let index = 0;
  for (const row of makeRows(rows)) {
    const members = Object.fromEntries(COLUMNS.map((name, at) => [name, row[at]]));
    const adresse = { ville: TOWNS[index % TOWNS.length], cp: `F-${10_000 + (index % 89_999)}` };
    const client = index % 7 === 0 ? null : { nom: `Client n°${index % 997}`, adresse };
    const lignes = Array.from({ length: index % 4 }, (_, at) => ({ article: `A-${at}`, quantite: at + 1 }));
    index += 1;
    yield `${index === 1 ? "[" : ","}${JSON.stringify({ ...members, client, lignes })}${index === rows ? "]\n" : "\n"}`;
  }
}
