import { spawn } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { fixture } from "./support/fixture.ts";
import { openSandbox } from "./support/push-to-sandbox.ts";
import { runMain } from "./support/run-main.ts";
import { BIN, runProcess, startProcess } from "./support/run-process.ts";
import { makeDirectory, makeFile } from "./support/temp-files.ts";

describe("the command as a process", () => {
  it("pushes a file to a sandbox process", async () => {
    const sandbox = startProcess(["sandbox", "--port", "0"]);
    const [, url = ""] = /sandbox at (\S+)/.exec(await sandbox.waitForStdout(/sandbox at \S+/)) ?? [];
    const env = { REC_PUSH_URL: url, REC_PUSH_TOKEN: "sandbox" };
    const { code, stdout } = await runProcess([fixture("csv/orders-excel-fr.csv"), "-t", "commandes"], {
      env,
    });
    expect(stdout).toContain("7 rows read: 7 accepted");
    expect(code).toBe(0);
    const held = (await (await fetch(`${url}/api/items/commandes/`)).json()) as unknown[];
    expect(held).toHaveLength(7);
    sandbox.child.kill("SIGTERM");
    expect((await sandbox.ended).code).toBe(0);
  });

  it("shows the same first screen that the command line makes", async () => {
    const made = await runMain(["help"]);
    for (const flag of ["--help", "-h", "help"]) {
      const { code, stdout } = await runProcess([flag], { others: "nothing" });
      expect([code, stdout]).toEqual([0, made.stdout]);
    }
  });

  it("shows its version", async () => {
    const text = await readFile(fileURLToPath(new URL("../package.json", import.meta.url)), "utf8");
    const { stdout, code } = await runProcess(["--version"]);
    expect([stdout.trim(), code]).toEqual([(JSON.parse(text) as { version: string }).version, 0]);
  });

  it("goes on to the end when the reader of its output goes away", async () => {
    const sandbox = await openSandbox();
    const keys = Array.from({ length: 400 }, (_, index) => `A${index},x`);
    const file = await makeFile("rows.csv", `cle,state\n${keys.join("\n")}\n`);
    const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const push = startProcess([file, "-t", "t", "-v", "--batch-size", "2"], env);
    await push.waitForStdout(/update/);
    push.child.stdout?.destroy();
    expect((await push.ended).code).toBe(0);
    expect(sandbox.store.snapshot("t")).toHaveLength(400);
  });

  it("ends well when the reader of the records leaves", async () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => `A${index},x`);
    const file = await makeFile("rows.csv", `cle,state\n${rows.join("\n")}\n`);
    const shown = join(await makeDirectory(), "first");
    const command = `"$0" "$1" check "$2" --type state=text --records - --json 2>"$3.err" | head -n 1 >"$3"; echo "\${PIPESTATUS[0]}"`;
    const shell = spawn("bash", ["-c", command, process.execPath, BIN, file, shown]);
    let codes = "";
    shell.stdout.on("data", (text: Buffer) => (codes += text.toString()));
    await new Promise((resolve) => shell.on("close", resolve));
    expect(codes.trim()).toBe("0");
    expect(await readFile(shown, "utf8")).toBe('{"cle":"A0","state":"x"}\n');
    expect(await readFile(`${shown}.err`, "utf8")).toContain('"exitCode":0');
  });

  it("leaves no file behind, not even for standard input", async () => {
    const directory = await makeDirectory();
    const env = { TMPDIR: directory };
    const { code } = await runProcess(["-", "-t", "t", "--sandbox"], { env, stdin: "cle;state\nA1;x\n" });
    expect(code).toBe(0);
    expect(await readdir(directory)).toEqual([]);
  });

  it("draws no progress and no colour where the output is no terminal", async () => {
    const { stdout, stderr } = await runProcess([fixture("csv/orders-excel-fr.csv"), "-t", "t", "--sandbox"]);
    expect(stdout + stderr).not.toContain("\u001b");
  });
});
