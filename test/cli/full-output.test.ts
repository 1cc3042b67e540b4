import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { BIN } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const ROWS = 300;
const CREATES = ["num_commande", ...Array.from({ length: ROWS }, (_, at) => 551_000 + at), ""].join("\n");

/** Runs the command with standard output in a file; no file may be larger than this many KiB, as on a full disk. */
async function runInto(
  output: string,
  argv: readonly string[],
  env: Record<string, string> = {},
  kib = 100_000,
) {
  const command = `ulimit -f ${kib}; exec "$@" >"$0"`;
  const child = spawn("bash", ["-c", command, output, process.execPath, BIN, ...argv], {
    env: { PATH: process.env["PATH"] ?? "", XDG_STATE_HOME: makeStateHome(), ...env },
  });
  let stderr = "";
  child.stderr.on("data", (part: Buffer) => (stderr += part.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stderr };
}

describe.runIf(process.platform === "linux")("standard output that cannot be written whole", () => {
  it.each([[[]], [["--quiet"]], [["--json"]]])("ends check --records - with exit 1 (%j)", async (more) => {
    const output = join(await makeDirectory(), "records.ndjson");
    const argv = ["check", await makeFile("a.csv", CREATES), "--records", "-", ...more];
    const { code, stderr } = await runInto(output, argv, {}, 4);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot write the records to standard output: EFBIG"),
    });
    // A part of the text was written, which is no error to Node.
    expect((await readFile(output)).length).toBe(4096);
    expect(stderr.includes('"exitCode":1')).toBe(more.includes("--json"));
  });

  it.each([[[]], [["--json"]]])(
    "never stops a push, which tells of it and exits with 1 (%j)",
    async (more) => {
      const sandbox = await openSandbox();
      const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
      const argv = [await makeFile("a.csv", CREATES), "-t", "commandes", "--batch-size", "5", ...more];
      const { code, stderr } = await runInto("/dev/full", argv, env);
      expect(code).toBe(1);
      expect(stderr).toContain("error: standard output is not complete: ENOSPC");
      expect(heldBy(sandbox)).toHaveLength(ROWS);
    },
  );

  it("keeps an exit code that says more", async () => {
    const argv = ["check", await makeFile("a.csv", "num_commande\nx\n")];
    const { code, stderr } = await runInto("/dev/full", argv);
    expect([code, stderr]).toEqual([3, expect.stringContaining("standard output is not complete")]);
  });

  it("is told of for help too", async () => {
    expect((await runInto("/dev/full", ["--help"])).code).toBe(1);
    const { code, stderr } = await runInto("/dev/null", ["--help"]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("error:")]);
  });
});
