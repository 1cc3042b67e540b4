import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { judgeClean } from "./judge-clean.ts";
import { judgeTables } from "./judge-tables.ts";
import type { CommandLine } from "./run-check.ts";

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "2000" },
    clean: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    keep: { type: "string" },
  },
});
const directory = mkdtempSync(join(tmpdir(), "rec-push-tables-"));
const { main: commandLine } = (await import(pathToFileURL(resolve("dist/cli/main.js")).href)) as {
  main: CommandLine;
};
try {
  const seed = Number(values.seed);
  const score = await judgeTables({
    first: seed * 1_000_000,
    files: Number(values.files),
    directory,
    commandLine,
  });
  for (const { file, why, options, told } of score.wrong) {
    process.stdout.write(
      `WRONG seed ${file.seed} ${options.join(" ")} [${file.oddities.join(", ")}]\n  ${why}\n`,
    );
    if (values.keep !== undefined) {
      writeFileSync(join(values.keep, file.name), file.bytes);
      writeFileSync(join(values.keep, `${file.name}.txt`), `${options.join(" ")}\n${why}\n${told}`);
    }
  }
  process.stdout.write(`${score.summary()}\n`);
  const clean = await judgeClean(
    { first: seed * 1_000_000 + 500_000, files: Number(values.clean), directory, commandLine },
    values.keep,
  );
  process.stdout.write(`${clean.lines.join("\n")}\n`);
  process.exitCode = score.wrong.length === 0 && clean.isHeld ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
