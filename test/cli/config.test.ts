import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer, startService } from "../send/support/http-service.ts";
import type { SaysOfOthers } from "../support/other-columns.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { type MainResult, runMain } from "../support/run-main.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const ROWS = "cle;Order No;remarks\nA1;551035;x\nA2;;y\n";

/** A directory with a config and a file `orders.csv`, a user with their own config, and commands that run there. */
async function makePlace(
  config: unknown,
  rows = ROWS,
  ownConfig?: unknown,
): Promise<{
  dir: string;
  file: string;
  /** The user's own config, and its directory. */
  own: string;
  home: string;
  run: (argv: string[], env?: Record<string, string>, others?: SaysOfOthers) => Promise<MainResult>;
}> {
  const dir = await makeDirectory();
  const file = join(dir, "orders.csv");
  await writeFile(file, rows);
  await writeFile(
    join(dir, "rec-push.config.json"),
    typeof config === "string" ? config : JSON.stringify(config),
  );
  const base = await makeDirectory();
  const home = join(base, "rec-push");
  const own = join(home, "config.json");
  await mkdir(home);
  if (ownConfig !== undefined) await writeFile(own, JSON.stringify(ownConfig));
  const run = (
    argv: string[],
    env: Record<string, string> = {},
    others: SaysOfOthers = "send",
  ): Promise<MainResult> =>
    runMain([file, ...argv], { cwd: dir, env: { XDG_CONFIG_HOME: base, ...env }, others });
  return { dir, file, own, home, run };
}

const TABLE = { delimiter: ";", map: { "Order No": "num_commande" }, drop: ["remarks"] };

describe("the config", () => {
  it("says how a table's files are read, and the user's own where they go, with the token from a file beside it", async () => {
    const sandbox = await openSandbox({ dbVersions: ["7"] });
    const prod = {
      url: sandbox.url,
      tokenFile: "secrets/token",
      dbVersion: "7",
      body: "data",
      auth: "bearer",
    };
    const { dir, own, home, run } = await makePlace({ tables: { commandes: TABLE } }, ROWS, {
      profiles: { prod },
    });
    await mkdir(join(home, "secrets"));
    await writeFile(join(home, "secrets", "token"), `${sandbox.token}\n`);
    const { code, stderr } = await run(["--table", "commandes", "--only", "updates", "--empty", "send"]);
    expect(stderr).toContain(
      `config: ${join(dir, "rec-push.config.json")}, table "commandes"\nconfig: ${own}, profile "prod"\n`,
    );
    expect(code).toBe(0);
    expect(heldBy(sandbox)).toEqual([
      { cle: "A1", num_commande: "551035" },
      { cle: "A2", num_commande: "" },
    ]);
  });

  it("comes after option and environment", async () => {
    const sandbox = await openSandbox();
    const elsewhere = { url: "http://127.0.0.1:9", tokenCommand: "printenv OTHER_TOKEN", dbVersion: "wrong" };
    const table = { ...TABLE, batchSize: 1, set: { source: "config", kind: "x" } };
    const { run, dir, own } = await makePlace({ tables: { commandes: table } }, ROWS, {
      profiles: { elsewhere },
    });
    const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const { code, events } = await run(
      ["-t", "commandes", "--json", "--set", "source=line", "--batch-size", "5"],
      env,
    );
    expect(code).toBe(0);
    const config = join(dir, "rec-push.config.json");
    expect(events()[0]).toMatchObject({
      configs: [{ path: config, table: "commandes" }, { path: own }],
    });
    // A profile that was not named has no part in a push to another service.
    expect(JSON.stringify(events()[0])).not.toContain('"profile"');
    expect(events().at(-1)).toMatchObject({ batches: 1, accepted: 2 });
    expect(heldBy(sandbox)[0]).toEqual({ cle: "A1", num_commande: "551035", source: "line", kind: "x" });
  });

  it("never sends a profile's token to a service that another option names", async () => {
    const profiles = { prod: { url: "https://prod.example", tokenCommand: "printenv PROD_TOKEN" } };
    const { run } = await makePlace({ tables: { commandes: TABLE } }, ROWS, { profiles });
    const env = { PROD_TOKEN: "canary-of-prod" };
    const byOption = await run(["-t", "commandes", "--url", "http://127.0.0.1:9"], env);
    expect([byOption.code, byOption.stderr]).toEqual([2, expect.stringContaining("no access token")]);
    const byEnv = await run(["-t", "commandes", "--profile", "prod"], {
      ...env,
      REC_PUSH_URL: "http://127.0.0.1:9",
    });
    expect([byEnv.code, byEnv.stderr]).toEqual([
      2,
      expect.stringContaining("REC_PUSH_URL name different services"),
    ]);
  });

  it.each<[string, unknown, string[], string]>([
    [
      "an unknown profile",
      { profiles: { prod: {}, test: {} } },
      ["--profile", "prd"],
      "no such profile; there is prod in ",
    ],
    [
      "several profiles and none named",
      { profiles: { a: { url: "https://x.example" }, b: {} } },
      [],
      "no service to push to",
    ],
    ["broken JSON", '{"tables": {},}', [], "c.json:1:15: broken JSON: expected a member name"],
    ["a config that is not there", {}, ["--config", "other.json"], "cannot read the config"],
  ])("ends with 2 for %s", async (_, config, argv, told) => {
    const { run } = await makePlace({});
    const path = await makeFile("c.json", typeof config === "string" ? config : JSON.stringify(config));
    const { code, stderr } = await run(["-t", "commandes", ...argv], { REC_PUSH_CONFIG: path });
    expect([code, stderr]).toEqual([2, expect.stringContaining(told)]);
  });

  it("ends with 2 for a profile without a config, and for a config that everybody can write", async () => {
    const { dir, run } = await makePlace({ tables: { commandes: TABLE } });
    await chmod(join(dir, "rec-push.config.json"), 0o666);
    const open = await run(["-t", "commandes", "--sandbox"]);
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining("chmod go-w")]);
    const none = await runMain(["a.csv", "-t", "t", "--profile", "prod"], { cwd: await makeDirectory() });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("no such profile; there is none")]);
  });

  it("is named with --config, from a directory below or anywhere", async () => {
    const { dir, file } = await makePlace({ tables: {} });
    await writeFile(join(dir, "mine.json"), JSON.stringify({ tables: { commandes: TABLE } }));
    await mkdir(join(dir, "below"));
    const argv = ["check", file, "--table", "commandes"];
    const found = await runMain(argv, { cwd: join(dir, "below"), others: "nothing" });
    expect([found.code, found.stderr]).toEqual([
      3,
      expect.stringContaining(`config: ${join(dir, "rec-push.config.json")}`),
    ]);
    const mine = `config: ${join(dir, "mine.json")}, table "commandes"\nconfig: ${join(dir, "rec-push.config.json")}\n`;
    const byOption = await runMain([...argv, "--config", "../mine.json"], { cwd: join(dir, "below") });
    expect([byOption.code, byOption.stderr]).toEqual([0, expect.stringContaining(mine)]);
    const byEnv = await runMain(argv, { cwd: join(dir, "below"), env: { REC_PUSH_CONFIG: "../mine.json" } });
    expect([byEnv.code, byEnv.stderr]).toEqual([0, expect.stringContaining(mine)]);
  });

  it("says in check which section was used: the named one, the only one, or none", async () => {
    const one = await makePlace({ tables: { commandes: TABLE } });
    const check = (place: { dir: string; file: string }, argv: string[]): Promise<MainResult> =>
      runMain(["check", place.file, ...argv], { cwd: place.dir, others: "nothing" });
    const only = await check(one, []);
    expect([only.code, only.stderr]).toEqual([
      0,
      expect.stringContaining('rec-push.config.json, table "commandes"'),
    ]);
    const other = await check(one, ["--table", "comandes"]);
    expect([other.code, other.stderr]).toEqual([
      3,
      expect.stringContaining('no table used, it has "commandes"'),
    ]);
    const two = await check(await makePlace({ tables: { a: TABLE, b: TABLE } }), []);
    expect([two.code, two.stderr]).toEqual([3, expect.stringContaining('no table used, it has "a", "b"')]);
  });

  it("settles a format as the option does that has its name, which counts before it", async () => {
    const fields = { a_amount: { type: "amount:." }, date_a: { type: "date:DD/MM/YYYY" } };
    const config = { tables: { commandes: { delimiter: ";", decimal: ",", fields } } };
    const { run } = await makePlace(config, "a_amount;b_amount;date_a\n1,234;1,234;05/07/2016\n");
    const settled = async (argv: string[]): Promise<unknown> => {
      const events = (await run(["--sandbox", "--table", "commandes", "--json", ...argv])).events();
      const survey = events.find(({ event }) => event === "survey");
      const columns = survey!["columns"] as { settledBy: string; format: string }[];
      return columns.map(({ settledBy, format }) => `${format} by ${settledBy}`);
    };
    expect(await settled([])).toEqual([
      "decimal point by --type",
      "decimal comma by --decimal",
      "DD/MM/YYYY by --type",
    ]);
    const options = ["--decimal", ".", "--type", "date_a=date:MM/DD/YYYY"];
    expect(await settled(options)).toEqual([
      "decimal point by --type",
      "decimal point by --decimal",
      "MM/DD/YYYY by --type",
    ]);
  });
});

describe("several configs", () => {
  it("are merged key by key: the named one before the found one, that before the user's own", async () => {
    const sandbox = await openSandbox();
    const own = { delimiter: ",", set: { a: "own", b: "own", c: "own" }, drop: ["x"], onInvalid: "skip" };
    const found = {
      delimiter: ";",
      set: { b: "found", c: "found" },
      fields: { state: { default: "found" } },
    };
    const named = { set: { c: "named" }, fields: { state: { oneOf: ["found", "open"] } }, drop: ["remarks"] };
    const rows = "cle;state;remarks;x\nA1;open;1;2\nA2;;1;2\nA3;lost;1;2\n";
    const { run } = await makePlace({ tables: { commandes: found } }, rows, { tables: { commandes: own } });
    const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const config = await makeFile("named.json", JSON.stringify({ tables: { commandes: named } }));
    const { code } = await run(["-t", "commandes", "--config", config], env);
    expect(code).toBe(4);
    expect(heldBy(sandbox)).toEqual([
      { cle: "A1", state: "open", a: "own", b: "found", c: "named" },
      { cle: "A2", state: "found", a: "own", b: "found", c: "named" },
    ]);
  });

  it.each<[string, object, string[], string]>([
    ["the only one of the most important config", { profiles: { rehearsal: {} } }, [], "rehearsal"],
    ["another one by its name", { profiles: { rehearsal: {} } }, ["--profile", "prod"], "prod of the user"],
    ["the more important one of one name", { profiles: { prod: {} } }, ["--profile", "prod"], "prod"],
    ["the user's where the named one has none", { tables: {} }, [], "prod of the user"],
  ])("give a profile whole: %s", async (_, named, argv, expected) => {
    const own = { profiles: { prod: { url: "http://127.0.0.1:9" } } };
    const { run, own: ownPath } = await makePlace({}, ROWS, own);
    const config = await makeFile("named.json", JSON.stringify(named));
    const words = ["-t", "commandes", "--config", config, "--sandbox", ...argv];
    const { code, stderr } = await run(words, {}, "nothing");
    const of = expected.endsWith(" of the user") ? ownPath : config;
    expect(stderr).toContain(`config: ${of}, profile "${expected.split(" ")[0]}"\n`);
    expect(stderr.match(/profile "/g)).toHaveLength(1);
    expect(code).toBe(3);
  });

  it("never send one config's token to another's URL", async () => {
    const { url, requests } = await startService((_, response) => answer(response));
    const own = { profiles: { prod: { url: "http://127.0.0.1:9", tokenCommand: "printenv OWN_TOKEN" } } };
    const { run } = await makePlace({ tables: { commandes: TABLE } }, ROWS, own);
    const config = await makeFile("named.json", JSON.stringify({ profiles: { prod: { url } } }));
    const { code, stderr } = await run(["-t", "commandes", "--config", config], { OWN_TOKEN: "own-canary" });
    expect([code, stderr]).toEqual([2, expect.stringContaining("no access token")]);
    expect(requests).toEqual([]);
  });

  it("count one file once, as the one that the user named", async () => {
    const sandbox = await openSandbox();
    const config = {
      profiles: { prod: { url: sandbox.url, tokenCommand: "printenv PROD_TOKEN" } },
      tables: { commandes: { ...TABLE, null: ["-"] } },
    };
    const { run, dir } = await makePlace(config);
    const path = join(dir, "rec-push.config.json");
    for (const [argv, env] of [
      [["--config", "rec-push.config.json"], {}],
      [[], { REC_PUSH_CONFIG: path }],
    ] as const) {
      const { code, stderr } = await run(["-t", "commandes", ...argv], { PROD_TOKEN: sandbox.token, ...env });
      expect(stderr.match(/config: .*/g)).toEqual([`config: ${path}, table "commandes", profile "prod"`]);
      expect(code).toBe(0);
    }
  });
});

describe("rules for fields", () => {
  const rows = "cle,state,code\nA1,open,X1\nA2,,X2\nA3,lost,22\n";
  const rules = { state: { required: true, oneOf: ["open", "closed"] }, code: { pattern: "X[0-9]" } };

  it("refuse rows", async () => {
    const { run } = await makePlace({ tables: { commandes: { fields: rules } } }, rows);
    const { code, events } = await run(["-t", "commandes", "--sandbox", "--json"]);
    expect(code).toBe(3);
    const rejects = events().filter(({ event }) => event === "reject");
    expect(rejects.map(({ line, field }) => [line, field])).toEqual([
      [3, "state"],
      [4, "state"],
      [4, "code"],
    ]);
  });
});
