import { spawnSync } from "node:child_process";
import { chmod, readdir, writeFile } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { stateRoot } from "../../src/cli/run-settings.ts";
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
