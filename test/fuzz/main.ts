import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { judgeMutated } from "./judge-case.ts";
import { loadBases } from "./judge-case.ts";
import { hasPython, judgeSpoilt, WorkbookJudge } from "./sheets/judge-workbook.ts";
import { judgeClean } from "./tables/judge-clean.ts";
import { judgeTables } from "./tables/judge-tables.ts";
import type { CommandLine } from "./tables/run-check.ts";

const USAGE = `npm run fuzz -- [--minutes N] [--tables N] [--clean N] [--workbooks N] [--seed S] [--bases DIR] [--keep DIR]

  --minutes   how long files are mutated and read (1)
  --tables    tables drawn with all that exports have around them, read by the built command, which is answered as it advises, and
              compared with the truth (2000)
  --clean     clean tables with many blank cells drawn, hardly one of which may be asked about (1000)
  --workbooks workbooks spoilt, read, and compared with what Python's own modules find in the file (1000)
  --bases     the directory of the files that are mutated (fixtures)
  --keep      a directory for the drawn files that are read wrong or asked about
`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    tables: { type: "string", default: "2000" },
    clean: { type: "string", default: "1000" },
    workbooks: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    bases: { type: "string", default: "fixtures" },
    keep: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  say(USAGE);
} else {
  const seed = Number(values.seed) | 0;
  say(`seed ${seed}`);
  const directory = mkdtempSync(join(tmpdir(), "rec-push-fuzz-"));
  try {
    const isHeld = [await mutate(seed), await drawTables(seed, directory), await spoil(seed, directory)];
    process.exitCode = isHeld.every(Boolean) ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function mutate(seed: number): Promise<boolean> {
  const milliseconds = Number(values.minutes) * 60_000;
  if (milliseconds === 0) return true;
  const result = await fc.check(judgeMutated(loadBases(values.bases)), {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: milliseconds,
    markInterruptAsFailure: false,
  });
  return report("mutated files", result);
}

async function drawTables(seed: number, directory: string): Promise<boolean> {
  const place = { first: seed, directory, commandLine: await loadBuild() };
  const tables = await judgeTables({ ...place, files: Number(values.tables) }, values.keep);
  const clean = await judgeClean({ ...place, files: Number(values.clean) }, values.keep);
  for (const line of [...tables.lines, ...clean.lines]) say(line);
  return tables.isHeld && clean.isHeld;
}

async function spoil(seed: number, directory: string): Promise<boolean> {
  const files = Number(values.workbooks);
  if (files > 0 && !hasPython()) say("no workbooks are judged: there is no python3");
  if (files === 0 || !hasPython()) return true;
  const judge = new WorkbookJudge(directory);
  const result = await fc.check(judgeSpoilt(judge), { seed, numRuns: files });
  judge.close();
  return report("spoilt workbooks", result);
}

function report<T>(what: string, result: fc.RunDetails<T>): boolean {
  say(result.failed ? String(fc.defaultReportMessage(result)) : `${result.numRuns} ${what}, no failure`);
  return !result.failed;
}

/** The command line of the build, not of the sources. */
async function loadBuild(): Promise<CommandLine> {
  const { href } = pathToFileURL(resolve("dist/cli/main.js"));
  return ((await import(href)) as { main: CommandLine }).main;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
