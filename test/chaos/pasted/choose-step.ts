import { readFile, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";

/** The next action of a person who follows printed steps. */
export interface Step {
  /** The line to paste into the shell. */
  readonly line: string;
  /** The file of mended rows that the line sends; the line is then the command to repeat. */
  readonly mended?: string;
  /** True if the steps say to run the first command again afterwards. */
  readonly isRestOwed?: boolean;
}

/** The files, the service, and the command that the steps call "the same". */
export interface StepWorld {
  readonly directory: string;
  /** Numbers of the records that the service holds. */
  readonly held: ReadonlySet<string>;
  readonly sameCommand: string;
  /** The file that is pushed: the first one, or a later one with mended rows. */
  readonly input: string;
  /** Files of rows in doubt as they were before rows were deleted from them. */
  readonly edited: Map<string, { readonly rows: readonly string[]; readonly text: string }>;
  /** How far the person gets who edits a file of rows in doubt: to its end, unless said otherwise. */
  readonly editing?: "whole" | "half" | "spoilt";
}

/** A row as the file holds it: its number is the second cell of the original columns. */
const NUMBER = /(?:^|,)(1\d{5}),(?:good|bad),/;
/** A row without key, also after the marker columns of a file of rows. */
const CREATE = /(?:^|,),1\d{5},/;
const COMMAND = /rec-push (?:'[^']*'|"[^"]*"|[^;'"])*?(?= sends | writes |, then |;|$)/;

/** Chooses the printed step whose condition is true of the service, and does by hand what it asks to do first. */
export async function chooseStep(output: string, world: StepWorld): Promise<Step | undefined> {
  const printed = [...output.matchAll(/^ *Next: (.*)$/gm)].map(([, step = ""]) => step);
  const isRestOwed = printed.some((step) => step.startsWith("then run the same command again"));
  const rest = printed.find((step) => step.endsWith("sends the rest"));
  if (rest !== undefined) return { line: commandIn(rest) };
  const doubt = printed.find((step) => step.includes("--in-doubt "));
  if (doubt !== undefined) {
    // If the lines are not exact, running the same command again writes a file of the rows in doubt.
    const line = (await settle(printed, output, world)) ?? world.sameCommand;
    return { line, isRestOwed };
  }
  const again = printed.find((step) => step.includes("run the same command again"));
  if (again !== undefined) return { line: world.sameCommand };
  const mend = printed.find((step) => step.startsWith("mend the ") && step.includes(", then push that file"));
  if (mend !== undefined) {
    const [, file = ""] =
      /^mend the [\d,]+ rows? in (.*?)(?: \(\d.*?\))?, then push that file/.exec(mend) ?? [];
    const path = resolve(world.directory, file);
    const mended = (await readFile(path, "utf8")).replaceAll(",bad,", ",good,");
    await writeFile(path, mended);
    return { line: commandIn(mend), mended: path };
  }
  // Mended rows that were pushed before, without those that were deleted: their creates are there.
  const [, answer] = /^ {4}(--exports full --identify-by \w+) {3}creates 0:/m.exec(output) ?? [];
  if (answer !== undefined) return { line: `${world.sameCommand} ${answer}`, mended: world.input };
  const stale = /^error: (.+?):(\d+): (.*sent now, it could bring older values back)$/m.exec(output);
  if (stale !== null) {
    const [, file = "", line = "", rest = ""] = stale;
    const others = /\(lines? ([\d, ]+)/.exec(rest)?.[1]?.split(", ") ?? [];
    const lines = new Set([line, ...others].map(Number));
    const path = resolve(world.directory, file);
    // The later values are right.
    const left = (await readFile(path, "utf8")).split("\n").filter((_, at) => !lines.has(at + 1));
    await writeFile(path, left.join("\n"));
    return { line: world.sameCommand };
  }
  return undefined;
}

/** Looks into the service for the records in doubt, and chooses the step for all, none or some of them being there. */
async function settle(
  printed: readonly string[],
  output: string,
  world: StepWorld,
): Promise<string | undefined> {
  const changed = printed.find((step) => step.includes(" left in it; if the "));
  if (changed !== undefined) return useChanged(changed, world);
  const some = printed.find((step) => step.startsWith("if only some are there")) ?? "";
  const [, spoilt] = /remove (.*?), which was changed/.exec(some) ?? [];
  if (spoilt !== undefined) {
    await rm(resolve(world.directory, spoilt));
    return commandIn(some.slice(some.indexOf("), then ")));
  }
  const none = printed.find((step) => step.startsWith("if they are not: ")) ?? "";
  const all = printed.find((step) => step.includes("if they are there: ")) ?? "";
  const path = /delete their rows from (.*?), which sends/.exec(some)?.[1];
  const file = path === undefined ? undefined : resolve(world.directory, path);
  const records = file === undefined ? await namedRows(output, world) : await rowsOf(file, world);
  if (records === undefined) return undefined;
  if (records.length === 0) throw new Error(`no row in doubt is to be found: ${output}`);
  const isHeld = (row: string): boolean => world.held.has(NUMBER.exec(row)?.[1] ?? "");
  const there = records.filter(isHeld);
  if (there.length === records.length) return commandIn(all);
  if (there.length === 0) return commandIn(none);
  if (file === undefined) return commandIn(some);
  const text = await readFile(file, "utf8");
  const { editing = "whole" } = world;
  // Somebody else looks at the file before the first one comes back.
  const gone = editing === "half" ? there.slice(0, 1) : there;
  const left = text.split("\n").filter((row) => !gone.includes(row));
  // A file that was cut right behind a line looks like one from which rows were deleted.
  const cut = text.slice(0, text.length / 2).trimEnd();
  await writeFile(file, editing === "spoilt" ? cut : left.join("\n"));
  world.edited.set(file, { rows: records, text: left.join("\n") });
  return editing === "whole" ? commandIn(some) : undefined;
}

/** Goes on with a file of rows in doubt that somebody began to edit: what is there and still in it is deleted too. */
async function useChanged(step: string, world: StepWorld): Promise<string> {
  const [, path = ""] = /(?:^|; )(\S+) was changed, /.exec(step) ?? [];
  const file = resolve(world.directory, path);
  const left = (await readFile(file, "utf8")).split("\n").filter((row) => {
    const [, number] = NUMBER.exec(row) ?? [];
    return number === undefined || !world.held.has(number);
  });
  if (!left.some((row) => NUMBER.test(row))) throw new Error(`nothing is left in ${file}`);
  await writeFile(file, left.join("\n"));
  return commandIn(step);
}

/** The rows of a file of rows in doubt, with those that were deleted from it before its command was killed. */
async function rowsOf(file: string, { edited }: StepWorld): Promise<readonly string[]> {
  const text = await readFile(file, "utf8");
  const before = edited.get(file);
  return before?.text === text ? before.rows : text.split("\n").filter((row) => NUMBER.test(row));
}

/** The creates in the named stretches of lines; `undefined` if there are more of them than named records. */
async function namedRows(
  output: string,
  { directory, input }: StepWorld,
): Promise<readonly string[] | undefined> {
  const named = [
    ...output.matchAll(/in doubt: ([\d,]+) creates?(?: in (.*?))?, lines? ([\d,]+)(?:-([\d,]+))?$/gm),
  ];
  const rows: (readonly string[] | undefined)[] = [];
  for (const [, count = "", file = input, first = "", last = first] of named) {
    // The paths of other files may be shortened.
    const path = file === "<stdin>" || file === "rows.csv" ? "rows.csv" : input;
    const lines = (await readFile(resolve(directory, path), "utf8")).split("\n");
    const creates = lines.slice(toNumber(first) - 1, toNumber(last)).filter((row) => CREATE.test(row));
    rows.push(creates.length === toNumber(count) ? creates : undefined);
  }
  const isWhole = rows.every((some) => some !== undefined) && !/^ *and [\d,]+ more: /m.test(output);
  return isWhole ? rows.flatMap((some) => some ?? []) : undefined;
}

export function toNumber(text: string): number {
  return Number(text.replaceAll(",", ""));
}

function commandIn(step: string): string {
  const [command] = COMMAND.exec(step.slice(step.indexOf("rec-push "))) ?? [];
  if (command === undefined) throw new Error(`no command in: ${step}`);
  return command;
}
