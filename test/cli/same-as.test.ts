import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const rows = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => `${551_000 + from + at},n`);
const csv = (lines: readonly string[]): string => ["num_commande,note", ...lines, ""].join("\n");

/** A service at a new address, the same at its former one, and forty creates that were made there. */
async function openMoved() {
  const old = await openSandbox();
  const moved = await openSandbox();
  const home = makeStateHome();
  const env = { XDG_STATE_HOME: home, XDG_CONFIG_HOME: join(home, "config"), REC_PUSH_TOKEN: moved.token };
  const run = (argv: readonly string[], token = moved.token) =>
    runMain(argv, { env: { ...env, REC_PUSH_TOKEN: token } });
  const file = await makeFile("orders.csv", csv(rows(0, 40)));
  const first = await run([file, "-t", "commandes", "--url", old.url], old.token);
  expect(first.code).toBe(0);
  /** A config of which the profile names former URLs. */
  const words = async (...sameAs: readonly string[]): Promise<readonly string[]> => {
    const profiles = { prod: { url: moved.url, sameAs } };
    const config = await makeFile("own.json", JSON.stringify({ profiles, defaultProfile: "prod" }));
    return ["-t", "commandes", "--config", config];
  };
  return { old, moved, run, file, words, held: () => heldBy(moved).map((fiche) => fiche["num_commande"]) };
}

describe("former URLs in a profile", () => {
  it("count what was created there, in the same file and in one that has grown", async () => {
    const { old, moved, run, file, words, held } = await openMoved();
    const argv = await words(`${old.url}/`);
    const same = await run([file, ...argv]);
    expect(same.code).toBe(0);
    expect(held()).toEqual([]);
    await writeFile(file, csv(rows(0, 43)));
    expect((await run([file, ...argv])).code).toBe(0);
    expect(held()).toEqual(["551040", "551041", "551042"]);
    // A create that both ledgers know counts once.
    expect((await run([file, ...(await words(`${old.url}/`, moved.url))])).code).toBe(0);
    expect(held()).toHaveLength(3);
  });

  it("are not guessed: without them the other URL is another shop", async () => {
    const { moved, run, file, held } = await openMoved();
    expect((await run([file, "-t", "commandes", "--url", moved.url])).code).toBe(0);
    expect(held()).toHaveLength(40);
  });

  it("are kept by a resume", async () => {
    const { old, moved, run, file, words, held } = await openMoved();
    const grown = await makeFile("grown.csv", csv(rows(0, 42)));
    moved.setFaults(["status=401"]);
    expect((await run([grown, ...(await words(old.url))])).code).toBe(5);
    moved.setFaults([]);
    expect((await run(["resume"])).code).toBe(0);
    expect(held()).toEqual(["551040", "551041"]);
    expect(await readFile(file, "utf8")).toBe(csv(rows(0, 40)));
  });

  it("let ledger remove take out what was created there", async () => {
    const { old, run, file, words, held } = await openMoved();
    const argv = await words(old.url);
    const gone = await makeFile("gone.csv", csv(rows(0, 5)));
    expect((await run(["ledger", "remove", gone, ...argv])).code).toBe(0);
    expect((await run([file, ...argv])).code).toBe(0);
    expect(held()).toEqual(rows(0, 5).map((line) => line.split(",")[0]));
  });

  it("are refused if one is no URL", async () => {
    const { run, file, words } = await openMoved();
    const end = await run([file, ...(await words("old"))]);
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining("sameAs: a URL") });
  });
});
