import type { Draw } from "../chaos/random.ts";
import { BAD, MENDED } from "./orders.ts";
import { firstAdvice, PUSH } from "./inputs.ts";
import { REFUSED } from "./record-service.ts";
import type { End, World } from "./world.ts";

/** How a person decides where what is printed leaves a choice. */
export interface Habits {
  /** Looks into the service, or believes without looking that all records in doubt are there, or none, or those of even numbers. */
  readonly doubt: "looks" | "applied" | "resend" | "absent" | "even";
  /** Pastes each line twice. */
  readonly isNervous: boolean;
  /** What a file is that holds creates of before. */
  readonly exports: "full" | "delta";
  /** After a stop: the same command again, or `resume`. */
  readonly goesOn: "again" | "resume";
  readonly mends: boolean;
}

export function drawHabits(draw: Draw): Habits {
  return {
    doubt: draw.oneOf(["looks", "looks", "looks", "applied", "resend", "absent", "even", "even"]),
    isNervous: draw.percent(30),
    exports: draw.oneOf(["full", "full", "delta"]),
    goesOn: draw.oneOf(["again", "again", "resume"]),
    mends: draw.percent(70),
  };
}

const MOST_COMMANDS = 6;
const COMMAND = /rec-push (?:'[^']*'|"[^"]*"|[^;'"])*?(?= sends |, then | names |;|$)/g;
const MADE_AGAIN = new Set(["SIGKILL", "7", "129", "130", "143"]);

/** Follows what was printed after a command until nothing is left to do that this person does. */
export async function followSteps(
  world: World,
  argv: readonly string[],
  end: End,
  habits: Habits,
): Promise<void> {
  const done = new Set<string>();
  const words = [...argv];
  let last = end;
  for (let count = 0; count < MOST_COMMANDS; count++) {
    const step = choose(world, last, habits);
    if (step !== undefined && !done.has(step)) {
      done.add(step);
      last = await world.paste(step);
      if (habits.isNervous) last = await world.paste(step);
    } else if (MADE_AGAIN.has(last.exit)) {
      last = await world.run(habits.goesOn === "resume" && count === 0 ? ["resume", "--json"] : words);
    } else {
      const answer = answerTo(last, habits);
      if (answer === undefined || words.join(" ").includes(answer.join(" "))) return;
      words.push(...answer);
      last = await world.run(words);
    }
  }
}

/** The printed command that this person pastes, after doing by hand what it asks for. */
function choose(world: World, { exit, told }: End, { doubt, mends }: Habits): string | undefined {
  const commands = told.flatMap((line) => line.match(COMMAND) ?? []).map((command) => command.trim());
  const deciding = (word: string): string | undefined =>
    commands.find((command) => new RegExp(`--in-doubt (?:\\S+=)?${word}(?= |$)`).test(command));
  if (exit === "8" && commands.some((command) => command.includes("--in-doubt"))) {
    if (doubt !== "looks" && doubt !== "even") return deciding(doubt) ?? deciding("resend");
    const file = world.written.findLast((name) => name.includes(".in-doubt"));
    const rows = file === undefined ? [] : rowsIn(world.read(file));
    const held = new Set(world.applied.map((record) => String(record["num_commande"])));
    const isThere = (row: string): boolean =>
      doubt === "even" ? Number(numberIn(row)) % 2 === 0 : held.has(numberIn(row) ?? "");
    const there = rows.filter(isThere).length;
    if (there === 0) return deciding("resend");
    if (there === rows.length) return deciding("applied");
    world.edit(file!, (text) =>
      text
        .split("\n")
        .filter((row) => !isThere(row))
        .join("\n"),
    );
    return commands.find((command) => /--in-doubt(?:-file)? \S*\.in-doubt/.test(command));
  }
  const file = world.written.findLast((name) => name.includes(".rejects"));
  const mend = commands.find((command) => /^rec-push \S*\.rejects/.test(command));
  if (exit !== "4" || !mends || file === undefined || mend === undefined) return undefined;
  world.edit(file, (text) => mendRows(text));
  return mend;
}

/** Mends the cells of rows, not the reasons beside them; a row that cannot be told apart stays as it is. */
function mendRows(text: string): string {
  return text
    .replaceAll(new RegExp(`(?<=[,;":])${BAD}(?=[,;"\r\n])`, "g"), text.startsWith("{") ? MENDED : '"7,50"')
    .replaceAll(new RegExp(`(?<=[,;":])${REFUSED}(?=[,;"\r\n])`, "g"), "soldé")
    .replaceAll('""7,50""', '"7,50"');
}

function rowsIn(text: string): string[] {
  return text.split("\n").filter((row) => numberIn(row) !== undefined);
}

/** The number of an order, which only its row holds; before it may stand the name of a run, with the time of day. */
function numberIn(row: string): string | undefined {
  return row.match(/(?<![\d.])1\d{5}(?![\d.])/g)?.at(-1);
}

/** What is added to a command that asks. */
function answerTo(end: End, { exports }: Habits): string[] | undefined {
  if (end.exit !== "3") return undefined;
  if (end.told.some((line) => line.includes("--exports")))
    return exports === "delta"
      ? ["--exports", "delta"]
      : ["--exports", "full", "--identify-by", "num_commande"];
  if (end.told.some((line) => line.includes("--on-invalid skip"))) return ["--on-invalid", "skip"];
  return firstAdvice(end);
}

/** A push of these files, as a job does it. */
export function pushOf(files: readonly string[], options: readonly string[]): string[] {
  return [...files, ...PUSH, ...options];
}
