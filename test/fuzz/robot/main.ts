import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { createDraw } from "../../chaos/random.ts";
import { drawFile } from "../tables/judge-tables.ts";
import type { CommandLine } from "../tables/run-check.ts";
import { RecordService } from "./record-service.ts";
import { tryFile } from "./try-file.ts";

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    verbose: { type: "boolean", default: false },
  },
});
const directory = mkdtempSync(join(tmpdir(), "rec-push-robot-"));
const bin = join(directory, "bin");
mkdirSync(bin);
symlinkSync(resolve("bin/rec-push.js"), join(bin, "rec-push"));
const { main: commandLine } = (await import(pathToFileURL(resolve("dist/cli/main.js")).href)) as {
  main: CommandLine;
};
const service = await RecordService.start();
const counts = new Map<string, number>();
const steps = new Map<number, number>();
const refusals = new Map<string, number>();
try {
  const first = Number(values.seed) * 1_000_000;
  for (let seed = first; seed < first + Number(values.files); seed++) {
    const draw = createDraw(seed);
    const file = drawFile(draw, seed);
    const verdict = await tryFile(file, draw, { directory, bin, service, commandLine });
    add(counts, verdict.kind);
    if (verdict.kind === "loaded") add(steps, verdict.commands.length);
    if (verdict.kind === "refused") add(refusals, verdict.why.replace(/"[^"]*"|\d+/g, "…").slice(0, 100));
    if (verdict.kind === "wrong" || (values.verbose && verdict.kind === "refused")) {
      say(`${verdict.kind.toUpperCase()} seed ${seed} [${file.oddities.join(", ")}] ${verdict.why}`);
      for (const command of verdict.commands) say(`  $ ${command}`);
      say(verdict.last.stderr.replace(/^/gm, "    "));
    }
  }
  say(`robot: ${show(counts)}; loaded in so many commands: ${show(steps)}`);
  say(`refused: ${show(refusals)}`);
  process.exitCode = counts.has("wrong") ? 1 : 0;
} finally {
  service.close();
  rmSync(directory, { recursive: true, force: true });
}

function add<T>(map: Map<T, number>, key: T): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}

function show(map: ReadonlyMap<string | number, number>): string {
  return [...map].map(([key, count]) => `${key} ${count}`).join(", ");
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
