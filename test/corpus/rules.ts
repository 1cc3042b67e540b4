import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { RecPushError } from "../../src/model/failure.ts";
import type { ReadTable } from "../read/chunks.ts";
import { comparePacked, judgeWorkbookFile } from "./packed-rules.ts";
import { tryTable, type FileOutcome } from "./try-file.ts";

/** Its expected JSON, from upstream, has other columns than the CSV. */
const WRONG_UPSTREAM = "location_coordinates.csv";

/** Refusals of well-formed JSON that holds no rows. */
const SHAPES = new Set(["json-not-records", "json-places"]);

/** The rule of its suite that a file breaks; `undefined` if there is none. */
export async function findBreach(path: string, told: FileOutcome<ReadTable>): Promise<string | undefined> {
  if (/\/csv-spectrum\/[^/]*\.csv$/.test(path) && basename(path) !== WRONG_UPSTREAM)
    return compareWithJson(path, told);
  if (/\/JSONTestSuite\/.*\/y_[^/]*$/.test(path)) return mustBeJson(await tryTable(path, { format: "json" }));
  if (/\/JSONTestSuite\/.*\/n_[^/]*$/.test(path))
    return mustNotBeJson(await tryTable(path, { format: "json" }));
  if (/\.xls[xm]$/i.test(path)) return judgeWorkbookFile(path);
  return comparePacked(path, told);
}

/** What a refusal does not say although a person needs it to go on. */
export function findGapInRefusal(path: string, error: RecPushError): string | undefined {
  if (!error.message.startsWith(path)) return "the refusal does not begin with the file";
  if (error.hint === undefined) return "the refusal does not say what to do";
  return undefined;
}

function compareWithJson(path: string, told: FileOutcome<ReadTable>): string | undefined {
  // One letter outside ASCII in the whole file says little about its encoding.
  if (told.kind === "refused" && told.error.code === "open-encoding") return undefined;
  if (told.kind !== "read") return "the suite's JSON has rows";
  const { columns } = told.inspection.reading;
  const held = told.rows.map(([, ...cells]) =>
    Object.fromEntries(columns.map((column, at) => [column, cells[at]])),
  );
  const expected = JSON.stringify(JSON.parse(readFileSync(path.replace(/\.csv$/, ".json"), "utf8")));
  return JSON.stringify(held) === expected && told.problems.length === 0
    ? undefined
    : `read as ${JSON.stringify(held)}, the suite's JSON is ${expected}`;
}

function mustBeJson(told: FileOutcome<ReadTable>): string | undefined {
  return told.kind === "refused" && !SHAPES.has(told.error.code)
    ? `valid JSON is refused for its syntax: ${told.error.message}`
    : undefined;
}

/** Under `--format json`, because some are well-formed CSV. */
function mustNotBeJson(told: FileOutcome<ReadTable>): string | undefined {
  if (told.kind === "read") return "broken JSON is read";
  if (told.kind === "crashed") return undefined;
  const { place, code } = told.error;
  const hasPlace = place?.line !== undefined && place.column !== undefined;
  // An empty file and one that is not UTF-8 have no such place.
  return hasPlace || code === "empty" ? undefined : `refused without line and column: ${told.error.message}`;
}
