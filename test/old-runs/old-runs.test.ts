import { createHash } from "node:crypto";
import { cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { sumLine } from "../../src/journal/journal-line.ts";
import type { RunFacts } from "../../src/journal/run-facts.ts";
import { createTarget } from "../../src/send/target.ts";
import { openStateDirectory } from "../../src/state/state-directory.ts";
import { appendWord } from "../../src/state/word-file.ts";
import { decisionOn } from "../support/decide.ts";
import { fixture } from "../support/fixture.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";

/** How write-runs.mjs made a kept run, and how it is resumed. */
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
async function openOldRun(name: string, set = "runs-unnumbered") {
  const kept = fixture(`${set}/${name}`);
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
  const { contents } = await openStateDirectory(join(home, "rec-push"));
  const { run, startedAt } = facts;
  const word = { run, startedAt, file: facts.file, hasCreates: (facts.totals?.creates ?? 0) > 0 };
  await appendWord(join(contents, createHash("sha256").update(JSON.stringify(parts)).digest("hex")), word);
  const directory = join(home, "rec-push", "runs", run);
  if (about.isPiped) await cp(file, join(directory, "input"));
  for (const part of await readdir(kept))
    if (part === "closed" || part.startsWith("rejects")) await cp(join(kept, part), join(directory, part));
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: "sandbox", ...about.env };
  const stdin = about.isPiped ? await readFile(file, "utf8") : "";
  return {
    about,
    run,
    directory,
    /** The command that began the run, with the path of its file. */
    pushAgain: about.command.map((word) => (word === about.file ? file : word)),
    command: (argv: readonly string[]) => runMain(argv, { env, cwd: home, stdin, others: "nothing" }),
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
    const read = sumLine(Buffer.from(line), sumBefore);
    if (read === undefined) throw new Error(`${path} is damaged`);
    sumBefore = read;
    const entry = JSON.parse(line.slice(9).replaceAll(OLD_URL, url)) as { facts?: RunFacts };
    if (entry.facts !== undefined) {
      facts = { ...entry.facts, ...(isPiped ? {} : { path: join(home, file) }) };
      entry.facts = facts = { ...facts, identity: { ...facts.identity, ...queriesOf(facts, url, again) } };
    }
    const changed = JSON.stringify(entry);
    sum = crc32(changed, sum);
    text += `${sum.toString(16).padStart(8, "0")} ${changed}\n`;
  }
  const directory = join(home, "rec-push", "runs", facts!.run);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "journal"), text);
  return facts!;
}

/** The hash of --query is salted with the address. */
function queriesOf({ identity, table }: RunFacts, url: string, again: readonly string[]) {
  if (identity.queries === undefined) return {};
  const query = again.filter((_, at) => again[at - 1] === "--query");
  return { queries: createTarget({ url, table, token: "sandbox", query }).queryHash! };
}

const NAMES = ["many-options", "json", "no-survey", "no-header-from-stdin", "headers-and-query", "config"];

describe.each([
  ["before processes were named", "runs", NAMES],
  ["before lines were numbered", "runs-unnumbered", [...NAMES, "one-table", "creates-in-doubt"]],
])("a run that a version of %s left open", (_, set, names) => {
  it.each(names)("is resumed as that version resumed it: %s", async (name) => {
    const { about, run, command, held, expected } = await openOldRun(name, set);
    const { code, stderr } = await command(["resume", run, ...about.again]);
    expect([code, stderr]).toEqual([about.code, expect.anything()]);
    expect(held()).toEqual(expected);
  });

  it.each([...NAMES, "one-table"])("goes on with the same command: %s", async (name) => {
    const { about, run, command, pushAgain, held, expected } = await openOldRun(name, set);
    const { code, events, stderr } = await command([...pushAgain, "--json"]);
    expect([code, stderr]).toEqual([about.code, expect.anything()]);
    expect(held()).toEqual(expected);
    expect(events().at(-1)).toMatchObject({ event: "summary", run });
  });
});

describe("a journal of an earlier version", () => {
  it("is continued in the current format, and is read like that", async () => {
    const { run, directory, command, pushAgain, held } = await openOldRun("creates-in-doubt");
    // The third create stays in doubt.
    expect((await command(pushAgain)).code).toBe(8);
    expect(held()).toHaveLength(1);
    const lines = (await readFile(join(directory, "journal"), "utf8")).trimEnd().split("\n");
    const entries = lines.map((line) => JSON.parse(line.slice(9)) as { n?: number; prints?: string });
    const taken = entries.findLastIndex(({ n }) => n === undefined) + 1;
    expect(entries.slice(taken).map(({ n }) => n)).toEqual(
      entries.slice(taken).map((_, at) => taken + at + 1),
    );
    expect(entries.filter(({ prints }) => prints?.length === 16)).toHaveLength(1);
    expect((await command(await decisionOn(command, "applied", run))).code).toBe(0);
    expect(held()).toHaveLength(1);
    expect((await command(["runs", run])).stdout).toContain("3 accepted");
  });

  it("is given up as before", async () => {
    const { run, command, pushAgain, held } = await openOldRun("creates-in-doubt");
    expect((await command(["runs", "--abandon", run])).stdout).toContain("may have created records");
    expect((await command(pushAgain)).stderr).toContain("was pushed in part on ");
    expect(held()).toEqual([]);
  });

  it("of a finished run is listed and pruned, and what it created is not created again", async () => {
    const { run, directory, command, pushAgain, held } = await openOldRun("finished");
    expect((await command(["runs"])).stdout).toContain(run);
    const other = join(directory, "..", "..", "other.csv");
    await writeFile(other, "num_commande;date_billed\n9;15/07/2016\n");
    // The earlier version kept no prints of its creates.
    const asked = await command([other, "-t", "commandes"]);
    expect(asked).toMatchObject({ code: 3, stderr: expect.stringContaining(`runs --forget ${run}`) });
    expect((await command(["runs", "--forget", run])).stdout).toContain("taken out of the ledger");
    expect((await command([other, "-t", "commandes"])).code).toBe(0);
    expect((await command(["runs", "--prune"])).stdout).toContain("2 finished runs removed");
    const again = await command(pushAgain);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("was already pushed") });
    expect(held()).toHaveLength(1);
  });
});
