import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  type Command,
  drawPace,
  envOf,
  inShell,
  installCommand,
  inWorld,
  KillLoop,
  type ProcessEnd,
  READING,
  runKillable,
  type World,
} from "../command.ts";
import type { Counters } from "../counters.ts";
import { judgeHeld } from "../judge-world.ts";
import type { Draw } from "../random.ts";
import { drawRows, toCsv } from "../rows.ts";
import { chooseStep, type Step, type StepWorld } from "./choose-step.ts";

const MEND = /mend the [\d,]+ rows? in (.*?)(?: \(\d.*?\))?, then push that file.*$/gm;

/**
 * A person who knows nothing but what is printed: pastes each step into a shell, some twice, is cut off again and again, and then types
 * the same line again, the first command, or `rec-push runs`; edits files of rows in doubt half, or spoils them. In the end the service holds each row once, and of each key the last one.
 */
export function livePasted(seed: number, counters: Counters, maxKills: number): Promise<void> {
  return inWorld(seed, async (world) => {
    const rows = drawRows(world.draw);
    await writeFile(join(world.directory, "rows.csv"), toCsv(rows, world.draw.percent(25)));
    const { draw, directory, service } = world;
    const bin = await installCommand(directory);
    const state = envOf(service.url, join(directory, "state"), bin);
    const env = { ...state, CHAOS_SYNCED: join(directory, "synced") };
    const paste = (line: string): Command => ({ ...inShell(line), directory, env });
    const loop = new KillLoop(world, counters, maxKills);
    await followToTheEnd(world, drawPush(draw), {
      run: (line, beside) => loop.run(paste(line), beside),
      runCalmly: (line) => runKillable(paste(line), service),
    });
    judgeHeld(rows, service.applied);
  });
}

type RunLine = (line: string, beside?: Promise<ProcessEnd>) => Promise<ProcessEnd>;

/** How a line is typed. */
interface Terminal {
  readonly run: RunLine;
  /** In a second window. */
  readonly runCalmly?: RunLine;
}

/** Types a push, and then what is printed, until nothing is left to do. */
export async function followToTheEnd(
  { draw, directory, service, told }: World,
  push: string,
  { run, runCalmly }: Terminal,
): Promise<void> {
  let [sameCommand, line] = [push, push];
  let isRestOwed = false;
  let input = "rows.csv";
  const edited: StepWorld["edited"] = new Map();
  const decisions: string[] = [];
  // Steps that mend other files of rows than the one that is chosen first; a person comes back to them.
  const toMend = new Map<string, string>();
  const mended = new Set<string>();
  for (;;) {
    // The same decision, typed in two windows.
    const isTwice = line.includes("--in-doubt ") && draw.percent(20);
    const twin = isTwice ? runCalmly?.(line) : undefined;
    const end = await run(line, twin);
    await twin;
    const output = end.stdout + end.stderr;
    told.push(`$ ${line}\n${end.isKilled ? "killed\n" : ""}${output}exit ${end.code}`);
    if (line.includes("--in-doubt ")) decisions.push(line);
    for (const [text, file = ""] of end.isKilled ? [] : output.matchAll(MEND))
      toMend.set(resolve(directory, file), text);
    if (end.isKilled) {
      line = draw.oneOf([line, sameCommand, "rec-push runs", ...decisions.slice(-1)]);
      continue;
    }
    // A line from the shell's history, pasted once more: its doubt is decided, whatever is in doubt now.
    if (decisions.length > 0 && draw.percent(25)) {
      line = draw.oneOf(decisions);
      continue;
    }
    const held = new Set(service.applied.map(({ number }) => number));
    const isList = line === "rec-push runs";
    const listed = isList ? latestOpen(end.stdout) : output;
    const editing = draw.oneOf(["whole", "whole", "half", "spoilt"] as const);
    const about: StepWorld = {
      directory,
      held,
      sameCommand,
      input,
      edited,
      editing,
    };
    let step: Step | undefined = await chooseStep(listed, about);
    isRestOwed ||= step?.isRestOwed === true;
    if (step !== undefined) line = step.line;
    else if (isList || isRestOwed || line !== sameCommand) line = sameCommand;
    else if (end.code !== 0 && end.code !== 4) throw new Error(`exit ${end.code} says no next step`);
    else {
      const [, left] = [...toMend].find(([file]) => !mended.has(file)) ?? [];
      const [, open] = /^Still open on this table: ([\w-]+)/m.exec(output) ?? [];
      if (left === undefined && open === undefined) return;
      if (left === undefined) {
        line = `rec-push resume ${open}`;
        continue;
      }
      step = (await chooseStep(`Next: ${left}`, about))!;
      line = step.line;
    }
    if (step?.mended !== undefined) {
      [sameCommand, input] = [step.line, step.mended];
      mended.add(step.mended);
    }
    if (line === sameCommand) isRestOwed = false;
  }
}

/** The part of a list of `rec-push runs` about the first open run, with which a person goes on. */
function latestOpen(list: string): string {
  const runs = list.split(/\n(?=\S)/);
  return runs.find((run) => /^\S+ {2}(?:unfinished|unsettled)/.test(run)) ?? "";
}

function drawPush(draw: Draw): string {
  const options = [...READING, ...drawPace(draw, 8)].join(" ");
  return draw.percent(25) ? `rec-push - ${options} < rows.csv` : `rec-push rows.csv ${options}`;
}
