import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRecorder } from "../library/support.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { BIN, runProcess } from "../support/run-process.ts";
import { fixture } from "../support/fixture.ts";

const run = promisify(execFile);
/** A directory with the executable and nothing else. */
let home: string;
let binary: string;

async function build(): Promise<string> {
  await run(process.execPath, ["binary/build.js"], { maxBuffer: 2 ** 26 });
  return createHash("sha256")
    .update(await readFile("build/binary/rec-push"))
    .digest("hex");
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "rec-push-binary-"));
  binary = join(home, "rec-push");
  await build();
  await copyFile("build/binary/rec-push", binary);
});
afterAll(() => rm(home, { recursive: true, force: true }));

function envOf(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const state = makeStateHome();
  return { XDG_STATE_HOME: state, XDG_CONFIG_HOME: join(state, "config"), HOME: state, ...more };
}

/** Runs the executable where neither Node nor the package can be found. */
async function runBinary(argv: readonly string[], env = envOf()) {
  try {
    const { stdout, stderr } = await run(binary, argv, { cwd: home, env, maxBuffer: 2 ** 26 });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as { readonly code: number; readonly stdout: string; readonly stderr: string };
  }
}

describe("the one file", () => {
  it("is built to the same bytes a second time", async () => {
    const before = createHash("sha256")
      .update(await readFile(binary))
      .digest("hex");
    expect(await build()).toBe(before);
  });

  it.each([
    ["--version"],
    ["--help"],
    ["help", "push"],
    ["help", "config"],
    ["help", "dates"],
    ["help", "exit-codes"],
    ["completion", "bash"],
    ["no-such-file.csv", "--sandbox", "-t", "t"],
    ["--dellimiter"],
  ])("answers %s %s like the package", async (...argv) => {
    const ofPackage = await runProcess(argv, { cwd: home, others: "nothing" });
    const { code, stdout, stderr } = await runBinary(argv);
    expect({ code, stdout, stderr }).toEqual({
      code: ofPackage.code,
      stdout: ofPackage.stdout,
      stderr: ofPackage.stderr,
    });
  });

  it.each(["csv/orders-excel-fr.csv"])("sends the same records of %s as the package", async (name) => {
    const sent = [];
    for (const start of [
      runBinary,
      (argv: readonly string[], env: Record<string, string>) => runProcess(argv, { env }),
    ]) {
      const { url, token, bodies } = await openRecorder();
      const env = envOf({ REC_PUSH_URL: url, REC_PUSH_TOKEN: token });
      const { code } = await start([fixture(name), "-t", "commandes", "--other-columns", "send"], env);
      sent.push([code, ...bodies.toSorted()]);
    }
    // The exit code, updates, one create, and the other.
    expect(sent[0]).toHaveLength(4);
    expect(sent[0]).toEqual(sent[1]);
  });

  it.each([
    ["windows-1252", Buffer.from("Soci\u00e9t\u00e9", "latin1")],
    ["cp850", Buffer.from("Soci\u0082t\u0082", "latin1")],
  ])("reads %s, whose tables it contains", async (encoding, bytes) => {
    const { url, token, bodies } = await openRecorder();
    const file = join(home, "latin.csv");
    await writeFile(file, Buffer.concat([Buffer.from("num_commande;note\n1;"), bytes, Buffer.from("\n")]));
    const env = envOf({ REC_PUSH_URL: url, REC_PUSH_TOKEN: token });
    const argv = [file, "-t", "commandes", "--other-columns", "send", "--encoding", encoding];
    expect((await runBinary(argv, env)).code).toBe(0);
    expect(bodies.join("")).toContain("Société");
  });

  it("makes records in a thread", async () => {
    const sandbox = await openSandbox();
    const lines = Array.from(
      { length: 150_000 },
      (_, at) => `k${at};${at};13/07/2016;${at},50;some text that takes room`,
    );
    await writeFile(
      join(home, "large.csv"),
      ["cle;num_commande;date_billed;actual_billable_amount;note", ...lines, ""].join("\n"),
    );
    await writeFile(
      join(home, "note.cjs"),
      'process.on("worker", () => process.stderr.write("a thread\\n"));',
    );
    const env = envOf({
      REC_PUSH_URL: sandbox.url,
      REC_PUSH_TOKEN: sandbox.token,
      NODE_OPTIONS: `--require=${join(home, "note.cjs")}`,
    });
    const { code, stderr } = await runBinary(
      ["large.csv", "-t", "commandes", "--other-columns", "send"],
      env,
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining("a thread")]);
    expect(heldBy(sandbox)).toHaveLength(150_000);
  });

  it("resumes a run of the package that was killed with -9, and the package one of it: nothing twice, nothing lost", async () => {
    const command = [process.execPath, BIN];
    for (const [begins, goesOn] of [
      [[binary], command],
      [command, [binary]],
    ] as const) {
      const sandbox = await openSandbox({ faults: ["latency=30"] });
      const env = envOf({ REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token });
      await writeFile(
        join(home, "orders.csv"),
        ["num_commande", ...Array.from({ length: 60 }, (_, at) => 1000 + at), ""].join("\n"),
      );
      const argv = ["orders.csv", "-v", "-t", "commandes", "--batch-size", "2", "--concurrency", "2"];
      const child = spawn(begins[0], [...begins.slice(1), ...argv], { cwd: home, env });
      let said = "";
      const signal = await new Promise((resolve) => {
        child.stdout.on("data", (text: Buffer) => {
          said += text;
          if (said.includes("200 Update Items OK")) child.kill("SIGKILL");
        });
        child.on("close", (_, by) => resolve(by));
      });
      expect(signal).toBe("SIGKILL");
      const { stdout } = await run(goesOn[0], [...goesOn.slice(1), "resume", "--json"], {
        cwd: home,
        env,
      }).catch((error: unknown) => error as { stdout: string });
      const last = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as {
        accepted: number;
        inDoubt: number;
      };
      expect(last.accepted + last.inDoubt).toBe(60);
      const numbers = heldBy(sandbox).map((fiche) => fiche["num_commande"]);
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(numbers.length).toBeGreaterThanOrEqual(last.accepted);
    }
  });

  it("has the size that its topic names", async () => {
    const [, size] = /one file of (\d+) MB/.exec(await readFile("src/help/one-file.md", "utf8")) ?? [];
    expect(Math.round((await stat(binary)).size / 1e6)).toBe(Number(size));
  });
});
