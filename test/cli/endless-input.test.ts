import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, describe, expect, it } from "vitest";
import { BIN, runProcess, startProcess } from "../support/run-process.ts";
import { configWords, makeDirectory } from "../support/temp-files.ts";

const ARGV = ["-t", "commandes", "--json", "--sandbox"];

async function makePipe(): Promise<{ readonly pipe: string; readonly temp: string }> {
  const temp = await makeDirectory();
  const pipe = join(await makeDirectory(), "pipe");
  execFileSync("mkfifo", [pipe]);
  return { pipe, temp };
}

describe("an input that does not end", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("is interrupted by %s: a named pipe that nobody writes to", async (signal, expected) => {
    const { pipe, temp } = await makePipe();
    const { child, waitForStdout, ended } = startProcess(["push", pipe, ...ARGV], { TMPDIR: temp });
    await waitForStdout(/"event":"run"/);
    child.kill(signal);
    expect((await ended).code).toBe(expected);
    expect(readdirSync(temp)).toEqual([]);
  });

  it("can be interrupted by a signal: a named pipe whose writer hangs, and leaves no copy", async () => {
    const { pipe, temp } = await makePipe();
    const { child, waitForStdout, ended } = startProcess(["check", pipe, "--json"], { TMPDIR: temp });
    const writer = spawn("sh", ["-c", `exec 3> "$0"; echo cle >&3; echo written; exec sleep 30`, pipe]);
    onTestFinished(() => void writer.kill("SIGKILL"));
    await Promise.all([waitForStdout(/"event":"run"/), once(writer.stdout, "data")]);
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect(readdirSync(temp)).toEqual([]);
  });

  it("can be interrupted by a signal: a query that hangs, in <(...)", async () => {
    const line = `exec "${process.execPath}" "${BIN}" check <(echo cle; exec sleep 30 2> /dev/null) --json`;
    const shell = spawn("bash", ["-c", line]);
    onTestFinished(() => void shell.kill("SIGKILL"));
    await once(shell.stdout, "data");
    shell.kill("SIGTERM");
    expect(await once(shell, "close")).toEqual([143, null]);
  });

  it.each([
    ["a device", ["/dev/zero"], undefined],
    ["standard input", ["-"], "cle\n".repeat(300_000)],
  ])("is copied no further than maxInputBytes: %s", async (_, files, stdin) => {
    const temp = await makeDirectory();
    const config = await configWords({ maxInputBytes: "1MiB" });
    const argv = ["check", ...files, "--table", "commandes", ...config];
    const { code, stderr } = await runProcess(argv, { env: { TMPDIR: temp }, ...(stdin && { stdin }) });
    expect(code).toBe(3);
    expect(stderr).toContain("it is longer than 1,048,576 bytes");
    expect(stderr).toContain('"maxInputBytes" in the table\'s section of the config allows more');
    expect(readdirSync(temp)).toEqual([]);
  });
});
