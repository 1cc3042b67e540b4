import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { judgeGrowth } from "./judge-growth.ts";
import { mutateFiles } from "./mutate-files.ts";
import { runRobot } from "./robot/run-robot.ts";
import { judgeWorkbooks } from "./sheets/judge-workbooks.ts";
import { judgeClean } from "./tables/judge-clean.ts";
import { judgeTables } from "./tables/judge-tables.ts";
import type { CommandLine } from "./tables/run-check.ts";

const USAGE = `npm run fuzz -- [--minutes N] [--tables N] [--clean N] [--workbooks N] [--growth N] [--robot N] [--path DIR] [--seed S] [--corpus DIR]

  --minutes   how long files are mutated and read (1)
  --tables    tables drawn with all that exports have around them, read by the built command and compared with the truth (2000)
  --clean     clean tables drawn, hardly one of which may be asked about (1000)
  --workbooks workbooks spoilt, read, and compared with what Python's own modules find in the file (1000)
  --growth    tries at each measure of time by columns, member names, line ends and secrets (3)
  --robot     drawn files that a robot pushes from a shell by following the printed advice (0)
  --path      a directory of files that it pushes too; what they should come to is for you to judge
  --keep      a directory for the drawn files that are read wrong or asked about
`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    tables: { type: "string", default: "2000" },
    clean: { type: "string", default: "1000" },
    workbooks: { type: "string", default: "1000" },
    growth: { type: "string", default: "3" },
    robot: { type: "string", default: "0" },
    path: { type: "string" },
    seed: { type: "string" },
    corpus: { type: "string", default: "../shared/corpus" },
    keep: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  say(USAGE);
} else {
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000) | 0;
  say(`seed ${seed}`);
  const isHeld = [await mutate(seed), await drawTables(seed)];
  process.exitCode = isHeld.every(Boolean) ? 0 : 1;
}

async function mutate(seed: number): Promise<boolean> {
  const milliseconds = Number(values.minutes) * 60_000;
  if (milliseconds === 0) return true;
  return mutateFiles({ seed, milliseconds, directories: ["fixtures", values.corpus] }, say);
}

async function drawTables(seed: number): Promise<boolean> {
  const place = { directory: mkdtempSync(join(tmpdir(), "rec-push-fuzz-")), commandLine: await loadBuild() };
  const keep = values.keep;
  try {
    const tables = await judgeTables({ first: seed, files: Number(values.tables), ...place }, keep);
    const clean = await judgeClean({ first: seed, files: Number(values.clean), ...place }, keep);
    for (const line of [...tables.lines, ...clean.lines]) say(line);
    const workbooks = await judgeWorkbooks(
      { seed, files: Number(values.workbooks), directory: place.directory },
      say,
    );
    const growth = await judgeGrowth(Number(values.growth), place, say);
    const robot = await runRobot(
      { first: seed, files: Number(values.robot), path: values.path, ...place },
      say,
    );
    return tables.isHeld && clean.isHeld && workbooks && growth && robot;
  } finally {
    rmSync(place.directory, { recursive: true, force: true });
  }
}

/** The command line of the build, not of the sources. */
async function loadBuild(): Promise<CommandLine> {
  const { href } = pathToFileURL(resolve("dist/cli/main.js"));
  return ((await import(href)) as { main: CommandLine }).main;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
