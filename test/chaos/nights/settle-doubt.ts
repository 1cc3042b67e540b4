import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PLAIN, writeExport } from "./export-file.ts";
import { drawPlace, type Life, type NightEnd, type NightFile } from "./life.ts";
import { readFates } from "./read-fates.ts";
import type { Row } from "./shop.ts";
import { isDoubt, type RowFate } from "./truth.ts";

/** Looks into the service and decides on the rows in doubt of each run that a push named. */
export async function settleDoubt(
  life: Life,
  tonight: readonly NightFile[],
  end: NightEnd,
  fates: readonly RowFate[],
): Promise<void> {
  life.service.calm();
  const summary = end.events.findLast(({ event }) => event === "summary");
  const next = ((summary?.["next"] ?? []) as readonly string[]).join("\n");
  const named = new Map(
    // Where its file was changed, and the person was cut off then, only the line that uses the file is printed.
    [...next.matchAll(/resume (\S+) --in-doubt (?:([0-9a-f]{8})=)?/g)].map(([, run = "", doubt]) => [
      run,
      doubt ?? "",
    ]),
  );
  if (named.size === 0) life.find("stuck", `exit 8 names no run to settle: ${next}`);
  const { events } = await life.command(["runs", "--all", "--json"]);
  const byName: (readonly [string, string])[] = [];
  for (const [run, doubt] of named) {
    life.counters.doubts += 1;
    const listed = events.find((event) => event["run"] === run) as unknown as ListedDoubt | undefined;
    const files = life.files.get(run);
    if (listed !== undefined && listed.inDoubt > 0 && files !== undefined)
      await settleRun(life, tonight, run, listed, files);
    else byName.push([run, doubt]);
  }
  // Last, because `ledger add` adds no row that equals one in doubt.
  for (const [run, doubt] of byName) await settleByName(life, run, doubt, fates);
}

async function settleRun(
  life: Life,
  tonight: readonly NightFile[],
  run: string,
  listed: ListedDoubt,
  files: readonly NightFile[],
): Promise<void> {
  const { draw, truth } = life;
  const file = fileOf(files, listed);
  const between = await readDoubt(file, listed);
  // There may be rows that were left out between the named lines.
  const rows = between.length === listed.inDoubt ? between : between.filter((row) => !truth.isClaimed(row));
  const there = truth.findThere(rows, true);
  const isOverwritten =
    !tonight.includes(file) &&
    [...life.before, ...tonight].some(({ name, day }) => name === file.name && day > file.day);
  life.say(`-- doubt of ${run}: ${rows.length} rows, ${listed.inDoubt} in doubt, ${there.size} there`);
  if (there.size === rows.length) return decide(life, run, `${listed.doubt}=applied`, rows);
  const isClosed = listed.state === "abandoned";
  if (there.size > 0 && listed.doubtFile !== undefined && !isClosed) {
    await deleteThere(listed.doubtFile, file, there);
    const bring = ({ kept, name }: NightFile): Promise<void> =>
      cp(join(life.directory, kept), join(life.directory, name));
    if (isOverwritten) await bring(file);
    await resume(life, run, ["--in-doubt", listed.doubtFile], rows);
    for (const each of tonight) if (isOverwritten && each.name === file.name) await bring(each);
    return;
  }
  const canResend = !isOverwritten && listed.next.some((line) => line.includes("=resend"));
  if (there.size === 0 && canResend && draw.percent(70))
    return decide(life, run, `${listed.doubt}=resend`, rows);
  await decide(life, run, `${listed.doubt}=absent`, []);
  await addThere(life, there);
  if (!tonight.includes(file)) await pushAgain(life, file);
}

/** Decides on a run that was given up or removed: the rows in doubt are those that tonight's push reported as such. */
async function settleByName(
  life: Life,
  run: string,
  doubt: string,
  fates: readonly RowFate[],
): Promise<void> {
  const rows = fates
    .filter(({ outcome, msg }) => outcome === "skipped" && isDoubt(msg))
    .map(({ row }) => row)
    .filter((row) => !life.truth.isClaimed(row));
  const there = life.truth.findThere(rows, true);
  life.say(`-- doubt of ${run}, by its name: ${rows.length} rows, ${there.size} there`);
  if (there.size === rows.length) return decide(life, run, `${doubt}=applied`, rows);
  await decide(life, run, `${doubt}=absent`, []);
  await addThere(life, there);
}

function decide(life: Life, run: string, decision: string, rows: readonly Row[]): Promise<void> {
  return resume(life, run, ["--in-doubt", decision], rows);
}

/** Nothing is repeated after a kill: the next push names what is still in doubt. */
async function resume(
  life: Life,
  run: string,
  words: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  const { draw, truth } = life;
  const isKilled = draw.percent(20);
  const kill = isKilled
    ? ({ kind: "write", at: drawPlace(draw), isAfter: draw.percent(50) } as const)
    : undefined;
  const end = await life.command(["resume", run, ...words, "--json"], { kill });
  if (end.isKilled) return;
  if (end.code === 0) for (const row of rows) truth.claimDoubt(row);
  // The doubt is settled; the next push reports the rows that the run has not sent, whose file is another one now.
  else if (end.stderr.includes("has changed since the run began")) return;
  else if (end.code !== 4 && end.code !== 7 && end.code !== 8)
    life.find("stuck", `resume ${words.join(" ")} ended with ${end.code}: ${end.stderr.slice(-600)}`);
}

/** Adds the rows that are there to the ledger, each as often as the service has it: they were forgotten with the others. */
async function addThere(life: Life, there: ReadonlySet<Row>): Promise<void> {
  if (there.size === 0) return;
  const name = `there-${life.day}-${life.counters.commands}.csv`;
  const held = life.truth.countHeld();
  const oncePerKey = new Map([...there].map(({ cells }) => [life.truth.keyOf(cells), cells]));
  const cells = [...oncePerKey].flatMap(([key, one]) => Array<typeof one>(held.get(key) ?? 1).fill(one));
  const { bytes, options } = writeExport(cells, life.hasNumbers, PLAIN);
  await writeFile(join(life.directory, name), bytes);
  const { code, stderr } = await life.sideCommand(["ledger", "add", name, ...life.words({ options })]);
  if (code === 0) for (const row of there) life.truth.claim(row);
  else life.find("stuck", `ledger add of rows that are there ended with ${code}: ${stderr.slice(-400)}`);
}

/** As advised: pushes the whole file again. */
async function pushAgain(life: Life, file: NightFile): Promise<void> {
  const results = `results-${life.day}-${life.counters.commands}.ndjson`;
  const again = { ...file, name: file.kept.split("/").at(-1) ?? "" };
  const end = await life.command(
    ["push", "--late", "0s", file.kept, ...life.words(file), "--json", "--results", results],
    {
      files: [{ ...file, name: file.kept }],
    },
  );
  life.truth.judge(await readFates(life, [again], end, results));
}

function fileOf(files: readonly NightFile[], { file }: ListedDoubt): NightFile {
  return files.find(({ name }) => file.endsWith(name)) ?? files[0]!;
}

/** A run's rows in doubt, as `rec-push runs` lists them. */
interface ListedDoubt {
  readonly state: string;
  readonly file: string;
  readonly inDoubt: number;
  readonly doubt: string;
  readonly inDoubtAt: readonly { readonly first: number; readonly last: number }[];
  readonly doubtFile?: string;
  readonly next: readonly string[];
}

/** The rows that a run has in doubt: those in its file of rows in doubt, else those between the named lines. */
async function readDoubt(file: NightFile, listed: ListedDoubt): Promise<readonly Row[]> {
  const lines = await readLines(listed.doubtFile);
  // Rows may have been deleted from it before a kill.
  const isNamed =
    lines?.length !== listed.inDoubt
      ? (line: number) => listed.inDoubtAt.some(({ first, last }) => first <= line && line <= last)
      : (line: number) => lines.includes(line);
  return file.rows.filter((_, at) => isNamed(file.lines[at] ?? 0));
}

/** Deletes from a file of rows in doubt those that the service holds, as a person who has looked does. */
async function deleteThere(path: string, file: NightFile, there: ReadonlySet<Row>): Promise<void> {
  const text = await readFile(path, "latin1");
  const gone = new Set(file.lines.filter((_, at) => there.has(file.rows[at]!)));
  const left = text.split("\n").filter((line) => !gone.has(lineOf(line) ?? -1));
  await writeFile(path, left.join("\n"), "latin1");
}

async function readLines(path: string | undefined): Promise<readonly number[] | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, "latin1").catch(() => undefined);
  return text?.split("\n").flatMap((line) => lineOf(line) ?? []);
}

/** The line number of the row in a line of the file; `undefined` for the header. */
function lineOf(line: string): number | undefined {
  const [, number] = /^(?:\{"_in_doubt_line":)?["']?line (\d+)(?:\.\d+)? of doubt /.exec(line) ?? [];
  return number === undefined ? undefined : Number(number);
}
