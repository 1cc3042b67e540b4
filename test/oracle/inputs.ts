import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { provideInput } from "../bench/inputs.ts";
import { createDraw } from "../chaos/random.ts";
import { listFiles } from "../corpus/list-files.ts";
import { buildBytes, fuzzCases } from "../fuzz/fuzz-case.ts";
import { loadBases } from "../fuzz/load-bases.ts";
import { readAdvice } from "../fuzz/robot/read-advice.ts";
import { splitWords } from "../fuzz/robot/robot-shell.ts";
import { buildWorkbook, sheetCases } from "../fuzz/sheets/sheet-case.ts";
import { drawFile } from "../fuzz/tables/judge-tables.ts";
import type { Case, End, World } from "./world.ts";

/** How many inputs are drawn by each generator. */
const DRAWN = { tables: 120, mutated: 120, workbooks: 60 } as const;
const BENCH_ROWS = 300;
const MOST_ADVICE = 4;
export const PUSH = ["--table", "commandes", "--json", "--concurrency", "1", "--late", "0s"];

/** Files that are beside exports. */
const NO_EXPORT = /\.(?:md|pem|py|mjs)$/;

/** Cases of one file each: those of directories, of the generators of the fuzz, and of the bench. */
export async function inputCases(
  directories: readonly string[],
  seed: number,
  scratch: string,
): Promise<Case[]> {
  const files = ["fixtures", ...directories].filter((path) => existsSync(path));
  return [
    ...files.flatMap((directory) =>
      listFiles(directory)
        .filter((path) => !NO_EXPORT.test(path))
        .map((path) =>
          checked(`files/${basename(directory)}/${path}`, basename(path), () =>
            readFileSync(join(directory, path)),
          ),
        ),
    ),
    ...tables(seed),
    ...mutated(seed),
    ...workbooks(seed),
    ...(await benched(scratch)),
  ];
}

/** A file that is checked, then pushed by a robot; where bad rows stop it, without them. */
function checked(name: string, file: string, bytes: () => Buffer): Case {
  return {
    name,
    async play(world) {
      world.write(file, bytes());
      await world.run(["check", file, "--json"]);
      await followAdvice(world, [file, ...PUSH, "--other-columns", "send", "--on-invalid", "skip"]);
    },
  };
}

/** A file that a robot pushes by what is printed. */
function advised(name: string, file: string, bytes: () => Buffer): Case {
  return {
    name,
    async play(world) {
      world.write(file, bytes());
      await followAdvice(world, [file, ...PUSH]);
    },
  };
}

/** Runs a command, each time with what was printed last: the ready line, or the first answer. */
async function followAdvice(world: World, argv: string[]): Promise<void> {
  for (let round = 0; round <= MOST_ADVICE; round++) {
    const answer = firstAdvice(await world.run(argv));
    if (answer === undefined || argv.join(" ").includes(answer.join(" "))) return;
    argv.push(...answer);
  }
}

/** The words of the ready line, or of the first answer, after a command that asks. */
export function firstAdvice({ exit, told }: End): string[] | undefined {
  if (exit !== "3") return undefined;
  const { ready, choices } = readAdvice(told.map((line) => `  ${line.trim()}`).join("\n"));
  const answer = ready ?? choices[0];
  return answer === undefined ? undefined : splitWords(answer);
}

function tables(seed: number): Case[] {
  return Array.from({ length: DRAWN.tables }, (_, at) => {
    const { name, bytes } = drawFile(createDraw(seed + at), seed + at);
    return advised(`tables/${seed + at}`, name, () => bytes);
  });
}

function mutated(seed: number): Case[] {
  const bases = loadBases(["fixtures/csv", "fixtures/json"]);
  const bytesOf = new Map(bases.map(({ name, bytes }) => [name, bytes]));
  return fc.sample(fuzzCases(bases), { seed, numRuns: DRAWN.mutated }).map((given, at) => {
    const { stored } = buildBytes(given, bytesOf.get(given.base)!);
    const packed = given.packing === "plain" || given.base.endsWith(".gz") ? "" : ".gz";
    return checked(`mutated/${seed}-${at}`, `${basename(given.base)}${packed}`, () => stored);
  });
}

function workbooks(seed: number): Case[] {
  return fc
    .sample(sheetCases(), { seed, numRuns: DRAWN.workbooks })
    .map((given, at) => checked(`workbooks/${seed}-${at}`, "orders.xlsx", () => buildWorkbook(given)));
}

async function benched(scratch: string): Promise<Case[]> {
  const cases: Case[] = [];
  for (const format of ["csv", "semicolon", "json", "ndjson", "xlsx"] as const) {
    const { file } = await provideInput(scratch, format, BENCH_ROWS);
    const bytes = readFileSync(file);
    cases.push(checked(`bench/${format}`, basename(file), () => bytes));
  }
  return cases;
}
