import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { judgeMutated, loadBases } from "./judge-case.ts";
import { hasPython, judgeSpoilt, WorkbookJudge } from "./sheets/judge-workbook.ts";
import { judgeClean } from "./tables/judge-clean.ts";
import { judgeTables } from "./tables/judge-tables.ts";

const USAGE = `npm run fuzz -- [--minutes N] [--seed S]

Mutates the files in fixtures, and reads them, for N minutes (1); then draws
- 2000 tables with all that exports have around them, which the built command reads; it is answered as it advises, and what it
  would send is compared with the truth,
- 1000 clean tables with many blank cells, hardly one of which may be asked about,
- 1000 spoilt workbooks, and compares what is read with what Python's own modules find in the file.
`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  say(USAGE);
} else {
  const first = Number(values.seed) | 0;
  say(`seed ${first}`);
  const directory = mkdtempSync(join(tmpdir(), "rec-push-fuzz-"));
  const tables = { first, directory };
  const isHeld = [
    await mutate(first),
    report(await judgeTables({ ...tables, files: 2000 })),
    report(await judgeClean({ ...tables, files: 1000 })),
    await spoil(first, directory),
  ].every(Boolean);
  if (isHeld) rmSync(directory, { recursive: true, force: true });
  else say(`the drawn files are in ${directory}`);
  process.exitCode = isHeld ? 0 : 1;
}

async function mutate(seed: number): Promise<boolean> {
  const result = await fc.check(judgeMutated(loadBases("fixtures")), {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: Number(values.minutes) * 60_000,
    markInterruptAsFailure: false,
  });
  return report(verdictOn("mutated files", result));
}

async function spoil(seed: number, directory: string): Promise<boolean> {
  if (!hasPython()) {
    say("no workbooks are judged: there is no python3");
    return true;
  }
  const judge = new WorkbookJudge(directory);
  const result = await fc.check(judgeSpoilt(judge), { seed, numRuns: 1000 });
  judge.close();
  return report(verdictOn("spoilt workbooks", result));
}

function verdictOn<T>(what: string, result: fc.RunDetails<T>) {
  const { failed, numRuns } = result;
  return {
    isHeld: !failed,
    lines: [failed ? String(fc.defaultReportMessage(result)) : `${numRuns} ${what}, no failure`],
  };
}

function report({ isHeld, lines }: { readonly isHeld: boolean; readonly lines: readonly string[] }): boolean {
  for (const line of lines) say(line);
  return isHeld;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
