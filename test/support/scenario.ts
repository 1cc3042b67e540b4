import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { openWorld } from "./open-world.ts";
import { heldBy } from "./push-to-sandbox.ts";
import { runMain } from "./run-main.ts";
import { makeDirectory } from "./temp-files.ts";

/** What a command must say on either stream, or must not; paths are without the directory of the scenario. */
type Says = string | RegExp | { readonly not: string | RegExp };

/** A line as users type it, how it ends, and what it says; or what happens between two lines. */
export type Step =
  readonly [line: string, exit: number, ...says: readonly Says[]] | ((world: ScenarioWorld) => unknown);

type Files = Readonly<Record<string, string | Buffer>>;

/** The service, the state and the directory of one scenario. */
export type ScenarioWorld = Awaited<ReturnType<typeof openWorld>> & {
  readonly directory: string;
  /** The names of the files that the scenario begins with. */
  readonly inputs: readonly string[];
  /** What the last line said. */
  readonly last: { stdout: string; stderr: string };
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
    const directory = await makeDirectory();
    for (const [file, content] of Object.entries(files)) await writeFile(join(directory, file), content);
    const inputs = Object.keys(files);
    const world: ScenarioWorld = {
      ...(await openWorld()),
      directory,
      inputs,
      last: { stdout: "", stderr: "" },
    };
    for (const step of steps) {
      if (typeof step === "function") await step(world);
      else await type(world, step);
    }
    const there = heldBy(world.sandbox);
    expect(there).toEqual(held ?? there);
  });
}

async function type(
  world: ScenarioWorld,
  [line, exit, ...says]: Exclude<Step, (...given: never) => unknown>,
) {
  const { directory, sandbox, home } = world;
  const typed = line.startsWith(">")
    ? line.slice(1)
    : `${line}${OTHERS.test(line) ? " --other-columns send" : ""}`;
  const words = splitWords(`${typed}${OF_A_TABLE.test(typed) ? " --table commandes" : ""}`);
  const argv = words.map((word) =>
    FILE_NAME.test(word) ? join(directory, word) : word.replace(/^@/, `${directory}/`),
  );
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const { code, stdout, stderr } = await runMain(argv, { cwd: directory, env, others: "nothing" });
  const plain = (text: string): string => text.replaceAll(`${directory}/`, "");
  Object.assign(world.last, { stdout: plain(stdout), stderr: plain(stderr) });
  const said = `${plain(stdout)}\n${plain(stderr)}`;
  const unmet = says.filter((one) => !isSaid(one, said));
  expect({ line, exit: code, unmet, said }).toEqual({ line, exit, unmet: [], said });
}

function isSaid(one: Says, said: string): boolean {
  if (typeof one === "string") return said.includes(one);
  return one instanceof RegExp ? one.test(said) : !isSaid(one.not, said);
}

/** The service behaves so from now on. */
export const faults =
  (...given: readonly string[]): Step =>
  ({ sandbox }) =>
    sandbox.setFaults([...given]);

/** Somebody writes a file. */
export const write =
  (name: string, content: string): Step =>
  ({ directory }) =>
    writeFile(join(directory, name), content);

/** Somebody replaces a text in a file, wherever it stands. */
export const edit =
  (name: string, from: string, to: string): Step =>
  async ({ directory }) => {
    const path = join(directory, name);
    const text = await readFile(path, "utf8");
    expect(text).toContain(from);
    await writeFile(path, text.replaceAll(from, to));
  };

/** Pastes the part of what the last line said that this pattern finds. */
export const paste =
  (found: RegExp, exit: number, ...says: readonly Says[]): Step =>
  async (world) => {
    const [, line] = found.exec(`${world.last.stdout}\n${world.last.stderr}`) ?? [];
    expect(line).toBeDefined();
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
