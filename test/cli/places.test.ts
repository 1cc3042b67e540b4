import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { join, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { expandGlobs } from "../../src/cli/command-line.ts";
import { ownConfigPath } from "../../src/cli/config/config-files.ts";
import { stateRoot } from "../../src/cli/run-settings.ts";
import { splitWords } from "../../src/model/text.ts";
import { nameState } from "../../src/report/summary-lines.ts";
import { syncDirectory } from "../../src/store/state-directory.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { BIN, runProcess } from "../support/run-process.ts";
import { makeDirectory } from "../support/temp-files.ts";

const LIBRARY = new URL("../../dist/library/index.js", import.meta.url).href;

describe("a HOME that is empty or relative", () => {
  it.each(["", "home", "./home"])("counts as if it were not set: %j", (HOME) => {
    expect(stateRoot({}, { env: { HOME }, cwd: "/work" })).toBe(
      join(homedir(), ".local", "state", "rec-push"),
    );
  });

  it.each(["", "home"])(
    "keeps nothing in the working directory, and finds the same runs: %j",
    async (HOME) => {
      const cwd = await makeDirectory();
      // Only looked at: this is the real home directory.
      const env = { HOME, XDG_STATE_HOME: "", NODE_DISABLE_COMPILE_CACHE: "1" };
      const { stdout } = await runProcess(["runs", "--state-dir", join(cwd, "none")], { env, cwd });
      expect(stdout).toContain(join(cwd, "none"));
      const usual = await runProcess(["doctor", "--url", "http://127.0.0.1:1", "-t", "t"], { env, cwd });
      expect(usual.stdout).toContain(join(userInfo().homedir, ".local", "state", "rec-push"));
      expect(await readdir(cwd)).toEqual([]);
    },
  );
});

/** A user whom the system does not know. */
const UNKNOWN = { uid: 12345, gid: 12345 };

/** False if only root may read Node or this project, for example below root's home directory. */
function mayRun(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const reads = `fs.accessSync(${JSON.stringify(BIN)}); fs.accessSync(${JSON.stringify(fileURLToPath(LIBRARY))})`;
  return spawnSync(process.execPath, ["-e", reads], { ...UNKNOWN, cwd: "/" }).status === 0;
}

describe.runIf(mayRun())("a user whom the system does not know, without HOME", () => {
  /** Runs Node as such a user, in a directory that this user may write to. */
  async function runUnknown(argv: readonly string[], env: Record<string, string> = {}) {
    const cwd = await makeDirectory();
    await chmod(cwd, 0o777);
    await writeFile(join(cwd, "a.csv"), "cle,num_commande\nA1,5\n");
    const { status, stdout, stderr } = spawnSync(process.execPath, [...argv], {
      ...UNKNOWN,
      cwd,
      env: { PATH: process.env["PATH"] ?? "", ...env },
      encoding: "utf8",
    });
    return { code: status, stdout, stderr, files: await readdir(cwd) };
  }

  it.each([
    [["--version"], {}],
    [["a.csv", "-t", "t", "--sandbox"], { HOME: "home", XDG_CACHE_HOME: "cache" }],
  ])("runs what keeps nothing: %j", async (argv, env: Record<string, string>) => {
    expect(await runUnknown([BIN, ...argv], env)).toMatchObject({ code: 0, files: ["a.csv"] });
  });

  it("is asked for --state-dir where runs are to be kept", async () => {
    const argv = [BIN, "a.csv", "-t", "t", "--url", "http://127.0.0.1:1"];
    const refused = await runUnknown(argv, { REC_PUSH_TOKEN: "t0kenxxxx" });
    expect(refused).toMatchObject({ code: 1, files: ["a.csv"] });
    expect(refused.stderr).toContain("--state-dir DIR");
    expect(refused.stderr).not.toContain("    at ");
    const kept = await runUnknown([...argv, "--state-dir", "st", "--retries", "0"], {
      REC_PUSH_TOKEN: "t0kenxxxx",
    });
    expect(kept.stdout + kept.stderr).toContain("ECONNREFUSED");
  });

  it("gets a PushError from the library", async () => {
    const program = `import { push, PushError } from ${JSON.stringify(LIBRARY)};
        const run = push({ rows: [{ cle: "A1" }] }, { table: "t", url: "http://127.0.0.1:1", token: "t0kenxxxx" });
        await run.summary().catch((error) => console.log(error instanceof PushError, error.code, error.hint));`;
    const { stdout } = await runUnknown(["--input-type=module", "--eval", program]);
    expect(stdout).toContain("true state-directory");
    expect(stdout).toContain("--state-dir DIR");
  });
});

describe("on Windows", () => {
  const root = (env: Record<string, string>): string => stateRoot({}, { env, cwd: "/" }, "win32");

  it.each([
    [{ LOCALAPPDATA: String.raw`C:\Users\a\AppData\Local` }, String.raw`C:\Users\a\AppData\Local\rec-push`],
    [{ LOCALAPPDATA: String.raw`\\server\home\a` }, String.raw`\\server\home\a\rec-push`],
    [{ XDG_STATE_HOME: String.raw`D:\state`, LOCALAPPDATA: String.raw`C:\l` }, String.raw`D:\state\rec-push`],
    [{ XDG_STATE_HOME: "state", LOCALAPPDATA: String.raw`C:\l` }, String.raw`C:\l\rec-push`],
  ])("runs are kept where programs keep what does not roam: %j", (env, expected) => {
    expect(root(env as Record<string, string>)).toBe(expected);
  });

  it("they are kept in the home directory where that has no name", () => {
    for (const env of [{}, { LOCALAPPDATA: "local" }])
      expect(root(env as Record<string, string>)).toBe(
        win32.join(homedir(), String.raw`AppData\Local\rec-push`),
      );
  });

  it.each([
    [{ APPDATA: String.raw`C:\r` }, String.raw`C:\r\rec-push\config.json`],
    [{ XDG_CONFIG_HOME: String.raw`D:\c`, APPDATA: String.raw`C:\r` }, String.raw`D:\c\rec-push\config.json`],
  ])("the user's own config is in the folder that roams: %j", (env, expected) => {
    expect(ownConfigPath(env as Record<string, string>, "win32")).toBe(expected);
  });

  it("no directory is brought to disk, which is refused there", async () => {
    await expect(syncDirectory("/is/not/there", "win32")).resolves.toBeUndefined();
    await expect(syncDirectory("/is/not/there", "linux")).rejects.toThrow("ENOENT");
  });
});

describe("names with * and ?", () => {
  async function makeFiles(): Promise<string> {
    const cwd = await makeDirectory();
    for (const name of ["may", "june"]) await mkdir(join(cwd, "exports", name), { recursive: true });
    for (const path of [
      "b.csv",
      "A.CSV",
      "a1.csv",
      "a22.csv",
      ".a.csv",
      "x(1).csv",
      "exports/may/o.csv",
      "exports/june/o.csv",
    ])
      await writeFile(join(cwd, path), "");
    return cwd;
  }

  it.each([
    ["*.csv", ["A.CSV", "a1.csv", "a22.csv", "b.csv", "x(1).csv"]],
    ["a?.csv", ["a1.csv"]],
    ["./a*.csv", ["./A.CSV", "./a1.csv", "./a22.csv"]],
    ["exports/may/*.csv", ["exports/may/o.csv"]],
    ["e*/may/*.csv", ["e*/may/*.csv"]],
    ["x(?).csv", ["x(1).csv"]],
    [".*.csv", [".a.csv"]],
    ["*.json", ["*.json"]],
    ["*", ["A.CSV", "a1.csv", "a22.csv", "b.csv", "x(1).csv"]],
    ["b.csv", ["b.csv"]],
    ["-", ["-"]],
  ])("%s stands for the files that match, as no shell of Windows says", async (word, expected) => {
    const cwd = await makeFiles();
    expect(expandGlobs([word], cwd, "win32")).toEqual(expected);
    expect(expandGlobs([word], cwd, "linux")).toEqual([word]);
  });
});

const ROWS = "num_commande,note\n1,a\n2,b\n3,c\n";

/** A push with a state directory of its own that has creates in doubt, which the service does not hold. */
async function openDoubt() {
  const sandbox = await openSandbox({ faults: ["drop=before,times=1"] });
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const [here, elsewhere] = [await makeDirectory(), await makeDirectory()];
  await writeFile(join(here, "orders.csv"), ROWS);
  const run = (argv: readonly string[], cwd = here) => runProcess(argv, { env, cwd });
  const named = ["--state-dir", "the state"];
  const pushed = await run(["orders.csv", "-t", "commandes", "--type", "note=text", ...named]);
  expect(pushed.code).toBe(8);
  return { ...pushed, run, elsewhere, named, sandbox };
}

describe("the commands that are printed under --state-dir find it from every directory", () => {
  it.each(["push", "JSON of runs"])("printed by %s", async (by) => {
    const { stdout, run, elsewhere, named, sandbox } = await openDoubt();
    const listed = (await run(["runs", ...named, "--json"])).stdout;
    const steps = by === "push" ? stdout.split("\n") : (JSON.parse(listed) as { next: string[] }).next;
    const step = steps.find((line) => line.includes("if they are not")) ?? "";
    const words = splitWords(/rec-push (resume .*)/.exec(step)?.[1] ?? "");
    expect(words).toContain("--state-dir");
    const { code } = await run(words, elsewhere);
    expect(code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(3);
  });

  it("printed for a run that is not there", async () => {
    const { run, elsewhere, named } = await openDoubt();
    const { code, stderr } = await run(["resume", "nonsense", ...named]);
    expect(code).toBe(2);
    const [, words = ""] = /(runs --state-dir .*) lists them/.exec(stderr) ?? [];
    expect((await run(splitWords(words), elsewhere)).stdout).toContain("orders.csv -> commandes");
  });
});

it("names a state directory once, and not for a shard, whose runs are in its plan", () => {
  const of = (text: string): string => nameState(text, "/a b");
  expect(of("rec-push runs says more")).toBe('rec-push runs --state-dir "/a b" says more');
  expect(of("rec-push ledger add F --state-dir x")).toBe("rec-push ledger add F --state-dir x");
  expect(of("rec-push resume --plan p --shard 1/2")).toBe("rec-push resume --plan p --shard 1/2");
  expect(nameState("rec-push runs", undefined)).toBe("rec-push runs");
});
