import { mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { ChaosService } from "../../chaos/chaos-service.ts";
import { createDraw } from "../../chaos/random.ts";
import { drawFile, type TableOrder } from "../tables/judge-tables.ts";
import type { RobotPlace } from "./robot-shell.ts";
import { tryFile } from "./try-file.ts";
import { walkFiles } from "./walk-files.ts";

/** Which files the robot pushes. */
interface RobotOrder extends TableOrder {
  readonly path: string | undefined;
}

type Say = (text: string) => void;

/** Pushes drawn files, and those of a directory, by following the printed advice; false if one led nowhere, or a drawn one went wrong. */
export async function runRobot({ path, ...order }: RobotOrder, say: Say): Promise<boolean> {
  if (order.files === 0 && path === undefined) return true;
  const { directory, commandLine } = order;
  const bin = join(directory, "bin");
  mkdirSync(bin);
  symlinkSync(resolve("bin/rec-push.js"), join(bin, "rec-push"));
  const service = await ChaosService.start();
  try {
    const place = { directory, bin, service, commandLine };
    const isWalked = path === undefined || (await walk(path, place, say));
    return (await pushDrawn(order, place, say)) && isWalked;
  } finally {
    await service.close();
  }
}

async function pushDrawn({ first, files }: TableOrder, place: RobotPlace, say: Say): Promise<boolean> {
  const counts = new Map<string, number>();
  const steps = new Map<number, number>();
  const refusals = new Map<string, number>();
  for (let seed = first; seed < first + files; seed++) {
    const draw = createDraw(seed);
    const file = drawFile(draw, seed);
    const { kind, why, commands, last } = await tryFile(file, draw, place);
    add(counts, kind);
    if (kind === "loaded") add(steps, commands.length);
    if (kind === "to mend") add(refusals, why.replace(/"[^"]*"|\d+/g, "...").slice(0, 100));
    if (kind !== "wrong" && kind !== "dead end") continue;
    say(`${kind} by the robot: seed ${seed} [${file.oddities.join(", ")}] ${why}`);
    for (const command of commands) say(`  $ ${command}`);
    say(last.stderr.replace(/^/gm, "    "));
  }
  say(`robot: ${show(counts)}; loaded with so many commands: ${show(steps)}; to mend: ${show(refusals)}`);
  return !counts.has("wrong") && !counts.has("dead end");
}

async function walk(path: string, place: RobotPlace, say: Say): Promise<boolean> {
  const counts = new Map<string, number>();
  const given: number[] = [];
  for await (const { name, kind, answers, why } of walkFiles(path, place)) {
    add(counts, kind);
    if (kind === "loaded") given.push(answers.length);
    say(`${kind} ${name}: ${answers.length} answers ${why}`);
    for (const answer of answers) say(`    ${answer}`);
  }
  given.sort((a, b) => a - b);
  say(`files: ${show(counts)}; loaded in the median with ${given[given.length >> 1] ?? 0} answers`);
  return !counts.has("dead end");
}

function add<T>(map: Map<T, number>, key: T): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}

function show(map: ReadonlyMap<string | number, number>): string {
  return [...map].map(([key, count]) => `${key} ${count}`).join(", ");
}
