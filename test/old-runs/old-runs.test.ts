import { createHash } from "node:crypto";
import { cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLine, writeLine } from "../../src/journal/journal-line.ts";
import type { RunFacts } from "../../src/journal/run-facts.ts";
import { createTarget } from "../../src/send/target.ts";
import { appendWord } from "../../src/state/word-file.ts";
import { fixture } from "../support/fixture.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";

/** How write-runs.mjs made a run of fixtures/runs, and what resumes it. */
interface OldRun {
  readonly file: string;
  readonly isPiped: boolean;
  readonly command: readonly string[];
  readonly again: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly onlyPushed: boolean;
  readonly code: number;
}

const OLD_URL = "http://127.0.0.1:18700";

/**
 * Puts a kept run into a state directory of this test, as if it had been begun here: with the address of the sandbox, the
 * place of its file, and the sums of the changed lines.
 */
async function openOldRun(name: string) {
  const kept = fixture(`runs/${name}`);
  const about = JSON.parse(await readFile(join(kept, "run.json"), "utf8")) as OldRun;
  const sandbox = await openSandbox();
  const home = makeStateHome();
  const file = join(home, about.file);
  await cp(join(kept, about.file), file);
  if ((await readdir(kept)).includes("own.json")) {
    const config = await readFile(join(kept, "own.json"), "utf8");
    await writeFile(join(home, "own.json"), config.replaceAll("BASE_URL", sandbox.url));
  }
  const facts = await moveJournal(join(kept, "journal"), home, sandbox.url, about);
  const { content, url, dbVersion, runKey, queries } = facts.identity;
  const parts = [content, url, dbVersion, runKey, ...(queries === undefined ? [] : [queries])];
  const contents = join(home, "rec-push", "contents");
  await mkdir(contents, { recursive: true });
  const { run, startedAt } = facts;
  const word = { run, startedAt, file: facts.file, hasCreates: (facts.totals?.creates ?? 0) > 0 };
  await appendWord(join(contents, createHash("sha256").update(JSON.stringify(parts)).digest("hex")), word);
  if (about.isPiped) await cp(file, join(home, "rec-push", "runs", run, "input"));
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: "sandbox", ...about.env };
  const stdin = about.isPiped ? await readFile(file, "utf8") : "";
  return {
    about,
    run,
    /** The command that began the run, with the place of its file. */
    pushAgain: about.command.map((word) => (word === about.file ? file : word)),
    command: (argv: readonly string[]) => runMain(argv, { env, cwd: home, stdin }),
    held: () => heldBy(sandbox),
    expected: JSON.parse(await readFile(join(kept, "held.json"), "utf8")) as unknown,
  };
}

async function moveJournal(
  path: string,
  home: string,
  url: string,
  { file, isPiped, again }: OldRun,
): Promise<RunFacts> {
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  let sumBefore = 0;
  let sum = 0;
  let text = "";
  let facts: RunFacts | undefined;
  for (const line of lines) {
    const read = readLine(line, sumBefore);
    if (read === undefined) throw new Error(`${path} is damaged`);
    sumBefore = read.sum;
    const entry = JSON.parse(read.text.replaceAll(OLD_URL, url)) as { facts?: RunFacts };
    if (entry.facts !== undefined) {
      facts = { ...entry.facts, ...(isPiped ? {} : { path: join(home, file) }) };
      entry.facts = facts = { ...facts, identity: { ...facts.identity, ...queriesOf(facts, url, again) } };
    }
    const written = writeLine(JSON.stringify(entry), sum);
    ({ sum } = written);
    text += written.line;
  }
  const directory = join(home, "rec-push", "runs", facts!.run);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "journal"), text);
  return facts!;
}

/** The address salts the hash of --query. */
function queriesOf({ identity, table }: RunFacts, url: string, again: readonly string[]) {
  if (identity.queries === undefined) return {};
  const query = again.filter((_, at) => again[at - 1] === "--query");
  return { queries: createTarget({ url, table, token: "sandbox", query }).queryHash! };
}

describe("a run that an earlier version left open", () => {
  const names = ["many-options", "json", "no-survey", "no-header-from-stdin", "headers-and-query", "config"];

  it.each(names)("is resumed as that version resumed it: %s", async (name) => {
    const { about, run, command, held, expected } = await openOldRun(name);
    const { code, stderr } = await command(["resume", run, ...about.again]);
    expect([code, stderr]).toEqual([about.code, expect.anything()]);
    expect(held()).toEqual(expected);
  });

  it.each([...names, "one-table"])("goes on with the same command: %s", async (name) => {
    const { about, run, command, pushAgain, held, expected } = await openOldRun(name);
    const { code, events, stderr } = await command([...pushAgain, "--json"]);
    expect([code, stderr]).toEqual([about.code, expect.anything()]);
    expect(held()).toEqual(expected);
    expect(events().at(-1)).toMatchObject({ event: "summary", run });
  });
});
