import { mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/cli/config/read-config.ts";
import { answer, startService } from "../send/support/http-service.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { type ProcessResult, runProcess } from "../support/run-process.ts";
import { makeDirectory } from "../support/temp-files.ts";

const CANARY = "c4n4ry-of-the-user";
const ROWS = "cle,num_commande\nA1,551035\n";

/** Somebody else's repository, with a config that names their service, and a user who runs rec-push in it. */
async function openRepository(config: (url: string) => unknown) {
  const service = await startService((_, response) => answer(response));
  const dir = await makeDirectory();
  const home = makeStateHome();
  const own = join(home, "rec-push", "config.json");
  const path = join(dir, "rec-push.config.json");
  await mkdir(join(home, "rec-push"));
  await mkdir(join(dir, "below"));
  await writeFile(join(home, "token"), CANARY, { mode: 0o600 });
  await writeFile(join(dir, "orders.csv"), ROWS);
  await writeFile(path, JSON.stringify(config(service.url)));
  const env = { AWS_SECRET: CANARY, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, HOME: home };
  const run = async (
    argv: readonly string[],
    more: Record<string, string> = {},
    cwd = dir,
  ): Promise<ProcessResult> => {
    const result = await runProcess(argv, { env: { ...env, ...more }, cwd });
    expect(result.stdout + result.stderr).not.toContain(CANARY);
    return result;
  };
  return { service, dir, home, own, path, run };
}

const thief = (url: string) => ({ profiles: { prod: { url, tokenCommand: "printenv AWS_SECRET" } } });
const PUSH = ["orders.csv", "-t", "commandes"];

describe("profiles in a config that was only found", () => {
  it.each<[string, readonly string[], string?]>([
    ["a push", PUSH],
    ["one that names the profile", [...PUSH, "--profile", "prod"]],
    ["a rehearsal", [...PUSH, "--sandbox"]],
    ["a push from a directory below", ["../orders.csv", "-t", "commandes", "--quiet"], "below"],
  ])("stop %s before anything leaves, and say what to do", async (_, argv, below = ".") => {
    const { service, run, dir, path, own } = await openRepository(thief);
    const { code, stdout, stderr } = await run(argv, {}, join(dir, below));
    expect(stderr).toContain(
      `error: ${path} has profiles, but a config that was only found, here or in a parent`,
    );
    expect(stderr).toContain(
      `move profiles to your own config, ${own}; or, if you trust the file, name it: --config ${path}`,
    );
    expect([code, service.connections()]).toEqual([2, 0]);
    // With --json, standard output has the same as an error event.
    expect(stdout.split("\n").filter((line) => !line.startsWith('{"event":'))).toEqual([""]);
  });

  it.each<[string, (url: string) => object]>([
    ["a token file", (url) => ({ profiles: { p: { url, tokenFile: "../../token" } } })],
    ["no profile in it", () => ({ profiles: {} })],
    ["mistakes beside", (url) => ({ ...thief(url), nonsense: 1, tables: { commandes: { foo: 1 } } })],
  ])("stop the run with %s, though option or environment name the service", async (_, config) => {
    const { service, run, own } = await openRepository(config);
    await writeFile(
      own,
      JSON.stringify({ profiles: { prod: { url: service.url, tokenCommand: "printenv AWS_SECRET" } } }),
    );
    const { code, stderr } = await run([...PUSH, "--quiet", "--url", service.url], {
      REC_PUSH_TOKEN: CANARY,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining("must not decide where your token goes")]);
    expect(service.connections()).toBe(0);
  });

  it("stop the run also where the config is a link to such a file", async () => {
    const { service, run, dir, path } = await openRepository(thief);
    await rename(path, join(dir, "data.json"));
    await symlink("data.json", path);
    const { code, stderr } = await run([...PUSH, "--quiet"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("must not decide where your token goes")]);
    expect(service.connections()).toBe(0);
  });

  it("are taken from the user's own config, and from a file that the user names", async () => {
    const sandbox = await openSandbox({ token: CANARY });
    const { run, own, path } = await openRepository(() => thief(sandbox.url));
    expect((await run([...PUSH, "--config", path])).code).toBe(0);
    expect((await run(PUSH, { REC_PUSH_CONFIG: path })).code).toBe(0);
    await rename(path, own);
    expect((await run([...PUSH, "--quiet"])).stderr).not.toContain("error");
    expect(heldBy(sandbox)).toHaveLength(1);
    expect(sandbox.requests().requests).toBe(3);
  });

  it("do not prevent the resuming of a run that was begun with the file", async () => {
    const sandbox = await openSandbox({ token: CANARY, faults: ["status=401,times=1"] });
    const { run, path } = await openRepository(() => thief(sandbox.url));
    expect((await run([...PUSH, "--config", path])).code).toBe(5);
    expect((await run(PUSH)).code).toBe(2);
    expect(await run(["resume"])).toMatchObject({ code: 0, stdout: expect.stringContaining("1 accepted") });
    expect(heldBy(sandbox)).toEqual([{ cle: "A1", num_commande: "551035" }]);
  });
});

describe("a table's section", () => {
  it("has nothing of where records go, nor has the top of the config", async () => {
    const { run, path, service } = await openRepository(() => ({ url: "x" }));
    const { code, stderr } = await run(PUSH, { REC_PUSH_URL: service.url, REC_PUSH_TOKEN: CANARY });
    expect([code, stderr]).toEqual([2, expect.stringContaining("url: unknown key")]);
    expect(service.connections()).toBe(0);
    const keys =
      "url token tokenFile tokenCommand auth headers httpHeader query body dbVersion dbVersionIn allowHttp profile config stateDir rejects results";
    for (const key of keys.split(" "))
      for (const config of [{ [key]: "x" }, { tables: { commandes: { [key]: "x" } } }])
        expect(() => readConfig(JSON.stringify(config), path)).toThrow(
          /rec-push\.config\.json: (?:tables\.commandes\.)?\w+: (?:unknown key|a token must not be)/,
        );
  });
});

it("the configs of the topic config push a file with nothing but its name", async () => {
  const topic = await readFile("src/help/config.md", "utf8");
  const [found, own] = [...topic.matchAll(/```json\n([^]*?)```/g)].map(([, text]) => text!);
  const sandbox = await openSandbox();
  const cwd = await makeDirectory();
  const home = join(await makeDirectory(), "rec-push");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(cwd, "rec-push.config.json"), found!, { mode: 0o600 });
  const profiles = own!.replace("https://records.example", sandbox.url);
  await writeFile(join(home, "config.json"), profiles, { mode: 0o600 });
  await writeFile(join(home, "token"), sandbox.token, { mode: 0o600 });
  const rows = "cle;Order No;date_billed;state;actual_billable_amount\nA1;1;05/07/2016;;1 437,50\n";
  await writeFile(join(cwd, "orders.csv"), rows);
  const env = { XDG_CONFIG_HOME: join(home, ".."), XDG_STATE_HOME: await makeDirectory() };
  const { code, stderr } = await runMain([join(cwd, "orders.csv")], { cwd, env });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("error") as string]);
  expect(heldBy(sandbox)).toEqual([
    expect.objectContaining({
      cle: "A1",
      num_commande: "1",
      date_billed: "2016-07-05",
      actual_billable_amount: "1437.50",
      state: "open",
    }),
  ]);
});
