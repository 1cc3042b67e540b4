import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { type MainResult, runMain } from "../support/run-main.ts";
import { makeDirectory } from "../support/temp-files.ts";

const ROWS = "cle;Order No;remarks\nA1;551035;x\nA2;;y\n";

/** A directory with a config and a file `orders.csv`; runs commands there. */
async function makePlace(
  config: unknown,
  rows = ROWS,
): Promise<{
  dir: string;
  file: string;
  run: (argv: string[], env?: Record<string, string>) => Promise<MainResult>;
}> {
  const dir = await makeDirectory();
  const file = join(dir, "orders.csv");
  await writeFile(file, rows);
  await writeFile(
    join(dir, "rec-push.config.json"),
    typeof config === "string" ? config : JSON.stringify(config),
  );
  return { dir, file, run: (argv, env = {}) => runMain([file, ...argv], { cwd: dir, env }) };
}

const TABLE = { delimiter: ";", map: { "Order No": "num_commande" }, drop: ["remarks"] };

describe("the config", () => {
  it("says how a table's files are read and where they go, with the token from a file beside it", async () => {
    const sandbox = await openSandbox({ dbVersions: ["7"] });
    const prod = {
      url: sandbox.url,
      tokenFile: "secrets/token",
      dbVersion: "7",
      body: "data",
      auth: "bearer",
    };
    const { dir, run } = await makePlace({ profiles: { prod }, tables: { commandes: TABLE } });
    await mkdir(join(dir, "secrets"));
    await writeFile(join(dir, "secrets", "token"), `${sandbox.token}\n`);
    const { code, stderr } = await run(["--table", "commandes", "--only", "updates", "--empty", "send"]);
    expect(stderr).toContain(
      `config: ${join(dir, "rec-push.config.json")}, table "commandes", profile "prod"\n`,
    );
    expect(code).toBe(0);
    expect(heldBy(sandbox)).toEqual([
      { cle: "A1", num_commande: "551035" },
      { cle: "A2", num_commande: "" },
    ]);
  });

  it("comes behind option and environment", async () => {
    const sandbox = await openSandbox();
    const elsewhere = { url: "http://127.0.0.1:9", tokenEnv: "OTHER_TOKEN", dbVersion: "wrong" };
    const table = { ...TABLE, batchSize: 1, set: { source: "config", kind: "x" } };
    const { run } = await makePlace({ profiles: { elsewhere }, tables: { commandes: table } });
    const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const { code, events } = await run(
      ["-t", "commandes", "--json", "--set", "source=line", "--batch-size", "5"],
      env,
    );
    expect(code).toBe(0);
    expect(events()[0]).toMatchObject({
      config: expect.stringContaining("rec-push.config.json"),
      configTable: "commandes",
    });
    // A profile that nobody named is no part of a push to another service.
    expect(events()[0]?.["profile"]).toBeUndefined();
    expect(events().at(-1)).toMatchObject({ batches: 1, accepted: 2 });
    expect(heldBy(sandbox)[0]).toEqual({ cle: "A1", num_commande: "551035", source: "line", kind: "x" });
  });

  it("never sends a profile's token to a service that another option names", async () => {
    const profiles = { prod: { url: "https://prod.example", tokenEnv: "PROD_TOKEN" } };
    const { run } = await makePlace({ profiles, tables: { commandes: TABLE } });
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
    ["an unknown profile", { profiles: { prod: {}, test: {} } }, ["--profile", "prd"], "it has prod, test"],
    [
      "a token variable that is not set",
      { profiles: { prod: { url: "https://x.example", tokenEnv: "NO_SUCH" } } },
      [],
      "NO_SUCH is not set (profile prod of",
    ],
    [
      "several profiles and none named",
      { profiles: { a: { url: "https://x.example" }, b: {} } },
      [],
      "no service to push to",
    ],
    [
      "an unknown key",
      { tables: { commandes: { delimeter: ";" } } },
      [],
      'tables.commandes.delimeter: unknown key; did you mean "delimiter"?',
    ],
    ["broken JSON", '{"tables": {},}', [], "rec-push.config.json:1:15: expected a key"],
    ["a config that is not there", {}, ["--config", "other.json"], "cannot read the config"],
  ])("ends with 2 for %s", async (_, config, argv, told) => {
    const { code, stderr } = await (await makePlace(config)).run(["-t", "commandes", ...argv]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(told)]);
  });

  it("ends with 2 for a profile without a config, and for a config that everybody can write", async () => {
    const { dir, run } = await makePlace({ tables: { commandes: TABLE } });
    await chmod(join(dir, "rec-push.config.json"), 0o666);
    const open = await run(["-t", "commandes", "--sandbox"]);
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining("chmod go-w")]);
    const none = await runMain(["a.csv", "-t", "t", "--profile", "prod"], { cwd: await makeDirectory() });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("there is none")]);
  });

  it("is named with --config, from a directory below or anywhere", async () => {
    const { dir, file } = await makePlace({ tables: {} });
    await writeFile(join(dir, "mine.json"), JSON.stringify({ tables: { commandes: TABLE } }));
    await mkdir(join(dir, "below"));
    const argv = ["check", file, "--table", "commandes"];
    const found = await runMain(argv, { cwd: join(dir, "below") });
    expect([found.code, found.stderr]).toEqual([
      3,
      expect.stringContaining(`config: ${join(dir, "rec-push.config.json")}`),
    ]);
    const named = await runMain([...argv, "--config", "../mine.json"], { cwd: join(dir, "below") });
    expect([named.code, named.stderr]).toEqual([
      0,
      expect.stringContaining(`config: ${join(dir, "mine.json")}, table "commandes"`),
    ]);
  });

  it("says in check which section was used: the named one, the only one, or none", async () => {
    const one = await makePlace({ tables: { commandes: TABLE } });
    const check = (place: { dir: string; file: string }, argv: string[]): Promise<MainResult> =>
      runMain(["check", place.file, ...argv], { cwd: place.dir });
    const only = await check(one, []);
    expect([only.code, only.stderr]).toEqual([
      0,
      expect.stringContaining('rec-push.config.json, table "commandes"'),
    ]);
    const other = await check(one, ["--table", "comandes"]);
    expect([other.code, other.stderr]).toEqual([
      3,
      expect.stringContaining('nothing for the table "comandes", only for "commandes"'),
    ]);
    const two = await check(await makePlace({ tables: { a: TABLE, b: TABLE } }), []);
    expect([two.code, two.stderr]).toEqual([
      3,
      expect.stringContaining('no table used, --table names one of "a", "b"'),
    ]);
  });

  it("uses the default one of several profiles where none is named", async () => {
    const sandbox = await openSandbox();
    const prod = { url: sandbox.url, tokenEnv: "PROD_TOKEN" };
    const other = { url: "http://127.0.0.1:9", tokenEnv: "PROD_TOKEN" };
    const config = { profiles: { other, prod }, defaultProfile: "prod", tables: { commandes: TABLE } };
    const { run } = await makePlace(config);
    const { code, stderr } = await run(["--table", "commandes"], { PROD_TOKEN: sandbox.token });
    expect(stderr).toContain('profile "prod"');
    expect(code).toBe(0);
  });

  it("is named where it settles a format, and the option where that does", async () => {
    const fields = { a_amount: { type: "amount:." }, date_a: { type: "date:DD/MM/YYYY" } };
    const config = { tables: { commandes: { delimiter: ";", decimal: ",", fields } } };
    const { run } = await makePlace(config, "a_amount;b_amount;date_a\n1,234;1,234;05/07/2016\n");
    const settled = async (argv: string[]): Promise<unknown> => {
      const events = (await run(["--dry-run", "--table", "commandes", "--json", ...argv])).events();
      const survey = events.find(({ event }) => event === "survey");
      return (survey!["columns"] as { settledBy: unknown }[]).map(({ settledBy }) => settledBy);
    };
    expect(await settled([])).toEqual(["the config", "the config", "the config"]);
    const options = ["--decimal", ".", "--type", "date_a=date:MM/DD/YYYY"];
    expect(await settled(options)).toEqual(["the config", "--decimal", "--type"]);
  });

  it("is silent with --quiet", async () => {
    const { run } = await makePlace({ tables: { commandes: { ...TABLE, encoding: "utf-8" } } });
    const { code, stdout, stderr } = await run(["-t", "commandes", "--sandbox", "--quiet"]);
    expect([code, stdout, stderr]).toEqual([0, "", ""]);
  });
});

describe("rules for fields", () => {
  const rows = "cle,state,code\nA1,open,X1\nA2,,X2\nA3,lost,22\n";
  const rules = { state: { required: true, oneOf: ["open", "closed"] }, code: { pattern: "X[0-9]" } };

  it.each<[string, object, string[]]>([
    ["in the config", rules, []],
    ["by option", {}, ["--required", "state", "--one-of", "state=open,closed", "--pattern", "code=X[0-9]"]],
    ["by option before the config", { ...rules, code: { pattern: "[0-9]+" } }, ["--pattern", "code=X[0-9]"]],
  ])("refuse rows: %s", async (_, fields, argv) => {
    const { run } = await makePlace({ tables: { commandes: { fields } } }, rows);
    const { code, events } = await run(["-t", "commandes", "--sandbox", "--json", ...argv]);
    expect(code).toBe(3);
    const rejects = events().filter(({ event }) => event === "reject");
    expect(rejects.map(({ line, field }) => [line, field])).toEqual([
      [3, "state"],
      [4, "state"],
      [4, "code"],
    ]);
  });

  it("fill empty cells, an option before the config", async () => {
    const sandbox = await openSandbox();
    const fields = { state: { default: "config" }, source: { default: "file" } };
    const { run } = await makePlace({ tables: { commandes: { fields } } }, rows);
    const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const { code } = await run(["-t", "commandes", "--default", "state=line"], env);
    expect(code).toBe(0);
    expect(heldBy(sandbox)[1]).toEqual({ cle: "A2", state: "line", code: "X2", source: "file" });
  });

  it.each<[string[], string]>([
    [["--pattern", "code=("], "is not a regular expression"],
    [["--pattern", "code"], "--pattern"],
    [["--one-of", "state="], "--one-of"],
    [["--default", "order no=1"], "cannot be a field"],
    [["--default", "cle=1"], "a default for cle"],
    [["--default", "a=1", "--default", "a=2"], "--default names a twice"],
    [["--required", "a,,b"], "--required"],
    [["--required", "absent"], "the field absent is required"],
  ])("end with 2 where they are none: %j", async (argv, told) => {
    const { run } = await makePlace({}, rows);
    const { code, stderr } = await run(["-t", "commandes", "--sandbox", ...argv]);
    expect(stderr).toContain(told);
    expect(code).toBe(argv.includes("absent") ? 3 : 2);
  });
});
