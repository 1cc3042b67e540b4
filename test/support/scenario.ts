import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import type { InDoubtAnswer } from "../../src/store/journal.ts";
import { answering } from "./answering.ts";
import { decisionOn } from "./decide.ts";
import { openWorld } from "./open-world.ts";
import { type MainWorld, runMain } from "./run-main.ts";

/** What a command must say on either stream, or must not, or tell as an event; paths are without the directory of the scenario. */
type Says = string | RegExp | { readonly not: string | RegExp } | { readonly tells: object };

/** A line as users type it, how it ends, and what it says; or what happens between two lines. */
export type Step =
  readonly [line: string, exit: number, ...says: readonly Says[]] | ((world: ScenarioWorld) => unknown);

/** A count of one with a noun in the plural. */
export const ONE_IN_PLURAL =
  /(?<![\w,.]|the first |then, )1 (?:of them )?(?:rows|records|creates|updates|batches|files|shards|lines|notes|runs|processes|attempts|problems|are|have|were|match)\b/;

type Files = Readonly<Record<string, string | Buffer>>;

/** The service, the state and the directory of one scenario. */
export type ScenarioWorld = Awaited<ReturnType<typeof openWorld>> & {
  /** The names of the files that the scenario begins with. */
  readonly inputs: readonly string[];
  /** The name of the first run. */
  run: string;
  /** What the last line said. */
  readonly last: { stdout: string; stderr: string; readonly shown?: string };
};

/** The commands that are about the table `commandes` if their line names none. */
const OF_A_TABLE = /^(?:push|init|ledger) (?!.*(?:--table|-t)[ =])/;
const FILE_NAME = /^[\w.~$-]+\.(?:csv|txt|json|ndjson|xlsx|gz|zip|html)$/;
const OTHERS = /^(?:push|check|init|ledger) (?!.*--other-columns)/;

/**
 * Files, and lines that are typed one after the other in their directory; in the end the service holds these records, if that is
 * said. Columns that no line speaks of are sent; a line that begins with `>` is as it is typed.
 */
export function scenario(
  name: string,
  files: Files,
  steps: readonly Step[],
  held?: readonly Readonly<Record<string, string>>[],
): void {
  it.each([name])("%s", async () => {
    const world: ScenarioWorld = {
      ...(await openWorld()),
      inputs: Object.keys(files),
      run: "",
      last: { stdout: "", stderr: "" },
    };
    for (const [file, content] of Object.entries(files)) await world.file(file, content);
    for (const step of steps) {
      if (typeof step === "function") await step(world);
      else await type(world, step);
      // After each step: the runs of one second have no order.
      if (world.run === "") world.run = (await world.runs().catch(() => []))[0] ?? "";
    }
    const there = world.held();
    expect(there).toEqual(held ?? there);
  });
}

/** The words of a typed line; `RUN` is the first run. */
function wordsOf(line: string, { directory, run }: ScenarioWorld): readonly string[] {
  const typed = line.startsWith(">")
    ? line.slice(1)
    : `${line}${OTHERS.test(line) ? " --other-columns send" : ""}`;
  const words = splitWords(`${typed}${OF_A_TABLE.test(typed) ? " --table commandes" : ""}`);
  return words.map((word) =>
    word === "RUN" ? run : FILE_NAME.test(word) ? join(directory, word) : word.replace(/^@/, `${directory}/`),
  );
}

async function type(
  world: ScenarioWorld,
  [line, exit, ...says]: Exclude<Step, (...given: never) => unknown>,
  more: Pick<MainWorld, "stdin" | "openAsker"> = {},
) {
  const { directory, env } = world;
  const given = { cwd: directory, env, others: "nothing", stdin: "", ...more } as const;
  const { code, stdout, stderr } = await runMain(wordsOf(line, world), given);
  const plain = (text: string): string => text.replaceAll(`${directory}/`, "");
  Object.assign(world.last, { stdout: plain(stdout), stderr: plain(stderr) });
  const said = `${plain(stdout)}\n${plain(stderr)}`;
  const unmet = says.filter((one) => !isSaid(one, said));
  expect({ line, exit: code, unmet, said }).toEqual({ line, exit, unmet: [], said });
  expect(said).not.toMatch(ONE_IN_PLURAL);
}

/** A command ends with this code, and says this on either stream. */
export async function expectEnd<T extends { readonly code: number | null; stdout: string; stderr: string }>(
  running: Promise<T>,
  exit: number,
  ...says: readonly Says[]
): Promise<T> {
  const end = await running;
  const said = `${end.stdout}\n${end.stderr}`;
  const unmet = says.filter((one) => !isSaid(one, said));
  expect({ exit: end.code, unmet, said }).toEqual({ exit, unmet: [], said });
  return end;
}

function isSaid(one: Says, said: string): boolean {
  if (typeof one === "string") return said.includes(one);
  if (one instanceof RegExp) return one.test(said);
  if ("not" in one) return !isSaid(one.not, said);
  const events = said
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as object] : []));
  return events.some((event) => {
    try {
      expect(event).toMatchObject(one.tells);
      return true;
    } catch {
      return false;
    }
  });
}

/** A line that names something of this world. */
export const typed =
  (line: (world: ScenarioWorld) => string, exit: number, ...says: readonly Says[]): Step =>
  (world) =>
    type(world, [line(world), exit, ...says]);

/** A line that reads this from standard input. */
export const piped =
  (stdin: string | Buffer, line: string, exit: number, ...says: readonly Says[]): Step =>
  (world) =>
    type(world, [line, exit, ...says], { stdin });

/** A line on a terminal, where a person gives these answers and no others; the first questions are these. */
export const answered =
  (
    answers: readonly (string | undefined)[],
    line: string,
    exit: number,
    questions: readonly (string | RegExp)[] = [],
    ...says: readonly Says[]
  ): Step =>
  async (world) => {
    const person = answering(answers);
    await type(world, [line, exit, ...says], { openAsker: person.openAsker });
    const unmet = questions.filter((one, at) => !isSaid(one, person.questions[at] ?? ""));
    expect({ line, left: person.left, unmet, asked: person.questions }).toMatchObject({
      left: [],
      unmet: [],
    });
    Object.assign(world.last, { shown: person.shown.join("\n") });
  };

/** The environment holds this from now on. */
export const inEnv =
  (given: Readonly<Record<string, string>>): Step =>
  ({ env }) =>
    Object.assign(env, given);

/** The service has accepted the creates of this text before: later ones go in whole batches. */
export const proven =
  (csv = "num_commande\n990000\n"): Step =>
  ({ prove }) =>
    prove(csv);

/** The service behaves so from now on. */
export const faults =
  (...given: readonly string[]): Step =>
  ({ sandbox }) =>
    sandbox.setFaults([...given]);

/** Somebody writes a file. */
export const write =
  (name: string, content: string | Buffer): Step =>
  ({ file }) =>
    file(name, content);

/** Somebody replaces a text in a file, wherever it stands. */
export const edit =
  (name: string, from: string, to: string): Step =>
  async ({ directory, file }) => {
    const text = await readFile(join(directory, name), "utf8");
    expect(text).toContain(from);
    await file(name, text.replaceAll(from, to));
  };

/** Somebody deletes the first rows of a file, or all rows that hold this text. */
export const deleteRows =
  (name: string, which: number | string): Step =>
  async ({ directory, file }) => {
    const lines = (await readFile(join(directory, name), "utf8")).split("\n");
    const left = lines.filter((line, at) =>
      typeof which === "number" ? at < 1 || at > which : !line.includes(which),
    );
    expect(left.length).toBeLessThan(lines.length);
    await file(name, left.join("\n"));
  };

/** The process of this line is killed once a request hangs, in which it is; then the service has no faults. */
export const killAtHang =
  (line: string): Step =>
  (world) =>
    world.killAtHang(wordsOf(line, world));

/** The first run is given up. */
export const abandon: Step = async ({ run, command }) =>
  expect(await command(["runs", "abandon", run])).toMatchObject({ code: 0 });

/** Says what became of what is in doubt; more words may follow the answer. */
export const decide =
  (answer: InDoubtAnswer | `${InDoubtAnswer} ${string}`, exit: number, ...says: readonly Says[]): Step =>
  async (world) => {
    const [word, ...more] = answer.split(" ") as [InDoubtAnswer, ...string[]];
    const line = [...(await decisionOn(world.command, word)), ...more].join(" ");
    await type(world, [`>${line}`, exit, ...says]);
  };

/** The service holds so many records, no number twice. */
export const holdsOnce =
  (count: number): Step =>
  ({ numbers }) =>
    expect([numbers().length, new Set(numbers()).size]).toEqual([count, count]);

/** The service holds the creates of these numbers, in any order and each as often as it is said. */
export const holdsNumbers =
  (...expected: readonly (string | number)[]): Step =>
  ({ numbers }) =>
    expect(numbers().map(String).toSorted()).toEqual(expected.map(String).toSorted());

/** The service holds so many records. */
export const holdsCount =
  (count: number): Step =>
  ({ held }) =>
    expect(held()).toHaveLength(count);

/** The service holds these values of keys, as `A1=7`. */
export const holdsKeys =
  (...values: readonly string[]): Step =>
  ({ held }) =>
    expect(
      held()
        .map(({ cle, num_commande }) => `${cle}=${num_commande}`)
        .toSorted(),
    ).toEqual(values);

/** A table of so many creates, each with a number of its own. */
export const creates = (count: number, from = 551_000): string =>
  ["num_commande", ...Array.from({ length: count }, (_, at) => from + at), ""].join("\n");

/** Pastes the part of what the last line said that this pattern finds. */
export const paste =
  (found: RegExp, exit: number, ...says: readonly Says[]): Step =>
  async (world) => {
    const [, line] = found.exec(`${world.last.stdout}\n${world.last.stderr}`) ?? [];
    expect([world.last, line]).toEqual([world.last, expect.any(String)]);
    await type(world, [`>${line}`, exit, ...says]);
  };

/** These files are there, beside those of the scenario. */
export const wrote =
  (...names: readonly string[]): Step =>
  async ({ directory, inputs }) =>
    expect((await readdir(directory)).filter((name) => !inputs.includes(name)).sort()).toEqual(names);

/** A file holds this text. */
export const holds =
  (name: string, text: string | RegExp, encoding: BufferEncoding = "utf8"): Step =>
  async ({ directory }) => {
    const content = await readFile(join(directory, name), encoding);
    if (typeof text === "string") expect(content).toContain(text);
    else expect(content).toMatch(text);
  };

/** The service got no request. */
export const nothingSent: Step = ({ sandbox }) => expect(sandbox.requests().requests).toBe(0);
