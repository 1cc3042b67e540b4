import { spawn } from "node:child_process";
import { mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { placeOfTable } from "../../src/store/state-directory.ts";
import { shareOf } from "../support/draws.ts";
import { openWorld } from "../support/open-world.ts";
import { sendOthers } from "../support/other-columns.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { BIN, runProcess } from "../support/run-process.ts";
import { creates, expectEnd } from "../support/scenario.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const DISK = fileURLToPath(new URL("../support/full-disk.mjs", import.meta.url));

/** Runs the command with a limit on the size of files, in KiB: to a process this looks like a full disk. */
async function runOnFullDisk(kib: number, argv: readonly string[], env: Record<string, string>, stdin = "") {
  const limited = spawn(
    "bash",
    ["-c", `ulimit -f ${kib}; exec "$@"`, "limited", process.execPath, BIN, ...sendOthers(argv)],
    {
      env: { PATH: process.env["PATH"] ?? "", ...env },
    },
  );
  let text = "";
  for (const stream of [limited.stdout, limited.stderr])
    stream.on("data", (part: Buffer) => (text += part.toString()));
  limited.stdin.on("error", () => undefined).end(stdin);
  const code = await new Promise<number | null>((resolve) => limited.on("close", resolve));
  return { code, text };
}

describe("a state directory that cannot be written", () => {
  const ELSEWHERE = "with another --state-dir it would not know what was sent before";
  it.each(["", "tables/TABLE/runs"])(
    "because a file stands in its place (%j) lets nothing be sent, with exit 1, and does not send the user to another place",
    async (name) => {
      const { state, env, numbers, push } = await openWorld();
      const table = { url: new URL("/api/items/commandes/", env.REC_PUSH_URL).href };
      const place = name.replace("tables/TABLE", placeOfTable({ tables: "tables" }, table));
      await mkdir(dirname(join(state, place)), { recursive: true });
      await writeFile(join(state, place), "");
      const { code, stdout, stderr } = await push([await makeFile("a.csv", creates(3))]);
      expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(ELSEWHERE)]);
      expect(numbers()).toEqual([]);
    },
  );
});

describe("a state directory out of reach", () => {
  it.skipIf(process.platform === "win32")(
    "behind a link, or on a disk that cannot be written, is mended in its place: nothing is created twice",
    async () => {
      const { home, env, numbers } = await openWorld();
      const [state, disk] = [join(home, "rec-push"), join(home, "disk")];
      const file = await makeFile("a.csv", creates(50));
      const push = () => runProcess([file, "-t", "commandes"], { env });
      await mkdir(disk);
      await symlink(disk, state);
      expect((await push()).code).toBe(0);
      await rename(disk, `${disk}-unmounted`);
      const refused = await push();
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("mount what a link points to"),
      });
      const doctor = await runProcess(["doctor"], { env: { ...env, XDG_STATE_HOME: file } });
      expect(doctor.stdout).toContain("cannot be used");
      for (const text of [refused.stderr, doctor.stdout, doctor.stderr])
        expect(text).not.toMatch(/another place/);
      await rename(`${disk}-unmounted`, disk);
      expect(await push()).toMatchObject({ code: 0, stdout: expect.stringContaining("50 skipped") });
      expect(numbers()).toHaveLength(50);
    },
  );
});

describe("a full disk", () => {
  it("under the rejects ends the command with exit 1, and the same command writes them later", async () => {
    const { env, numbers } = await openWorld();
    const bad = Array.from({ length: 2000 }, (_, at) => `x${at}${"-".repeat(60)}`);
    const file = await makeFile("a.csv", `${creates(3)}${bad.join("\n")}\n`);
    const argv = [file, "-t", "commandes", "--on-invalid", "skip", "--header-line", "1"];
    const full = await runOnFullDisk(80, argv, env);
    expect(full.code).toBe(1);
    expect(full.text).toMatch(/rejects.*EFBIG/);
    expect(numbers()).toHaveLength(3);
    await expectEnd(runProcess(argv, { env }), 4, "2,003 rows read: 3 accepted, 2,000 rejected");
    expect(numbers()).toHaveLength(3);
  });

  it("while records are made during the survey makes the others wait for their turn", async () => {
    const { env, numbers } = await openWorld();
    const rows = Array.from({ length: 12_000 }, (_, at) => `${551_000 + at};${"é".repeat(60)}`);
    const file = await makeFile("a.csv", `num_commande;libelle\n${rows.join("\n")}\n`);
    const { code } = await runOnFullDisk(900, [file, "-t", "commandes", "-q"], env);
    expect(code).toBe(0);
    expect(new Set(numbers()).size).toBe(12_000);
    expect(numbers()).toHaveLength(12_000);
  });

  const MANY = ["-t", "commandes", "--batch-size", "2", "--concurrency", "3"];

  const UPDATES = [
    "cle,num_commande",
    ...Array.from({ length: 200 }, (_, at) => `F${at},${100_000 + at}`),
    "",
  ].join("\n");

  it.runIf(process.platform === "linux")(
    "under the journal stops the run before the next send; updates whose outcome is not written are sent again",
    async () => {
      const { env, numbers } = await openWorld();
      const argv = [await makeFile("a.csv", UPDATES), ...MANY];
      const FULL = { NODE_OPTIONS: `--import ${DISK}`, FULL_AFTER: "6000" };
      const full = await runProcess(argv, { env: { ...env, ...FULL } });
      expect(full).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/the journal cannot be written: ENOSPC.*\n.*free space on the disk/),
      });
      // A state directory elsewhere would know none of them.
      expect(full.stderr).not.toMatch(/another place|give another/);
      const held = numbers().length;
      expect(held).toBeGreaterThan(0);
      expect(held).toBeLessThan(200);
      const { code, stdout } = await runProcess([...argv, "--late", "0s"], { env });
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("200 accepted (") });
      expect(new Set(numbers()).size).toBe(200);
    },
  );

  it.runIf(process.platform === "linux")(
    "under the journal names the doubt that the next command will find",
    { timeout: 30_000 },
    async () => {
      let doubtful = { full: "", again: "", inDoubt: 0, unwritten: 0 };
      // The entry that meets the full disk may also be one that announces creates, while no other is under way.
      for (let after = 6000; doubtful.unwritten === 0 && after < 8000; after += 130) {
        const { env, numbers } = await openWorld();
        const argv = [await makeFile("a.csv", creates(200)), ...MANY];
        const FULL = { NODE_OPTIONS: `--import ${DISK}`, FULL_AFTER: String(after) };
        const full = await runProcess(argv, { env: { ...env, ...FULL } });
        const held = numbers().length;
        const [accepted, inDoubt, notSent] = ["accepted", "in doubt", "not sent"].map((what) =>
          Number(new RegExp(` (\\d+) ${what}`).exec(full.stdout)?.[1] ?? 0),
        ) as [number, number, number];
        expect([full.code, accepted + inDoubt + notSent]).toEqual([inDoubt > 0 ? 8 : 1, 200]);
        expect(accepted).toBeLessThanOrEqual(held);
        expect(accepted + inDoubt).toBeGreaterThanOrEqual(held);
        // Only records that were announced or in flight when the disk was full are in doubt.
        expect(inDoubt).toBeLessThanOrEqual(6);
        const again = await runProcess(argv, { env });
        expect(again.code).toBe(inDoubt > 0 ? 8 : 0);
        expect([numbers().length, new Set(numbers()).size]).toEqual([held + notSent, held + notSent]);
        doubtful = { full: full.stdout, again: again.stdout, inDoubt, unwritten: held - accepted };
      }
      expect(doubtful.unwritten).toBeGreaterThan(0);
      expect(doubtful.full).toMatch(/--in-doubt [0-9a-f]{8}=applied/);
      expect(doubtful.again).toContain(` ${doubtful.inDoubt} in doubt`);
    },
  );

  it.runIf(process.platform === "linux")(
    "before a run goes on counts what it has sent before, not all rows as not sent",
    async () => {
      const { env, numbers } = await openWorld();
      const argv = [await makeFile("a.csv", UPDATES), ...MANY];
      const FULL = { NODE_OPTIONS: `--import ${DISK}`, FULL_AFTER: "6000" };
      const first = await runProcess(argv, { env: { ...env, ...FULL } });
      const accepted = Number(/ (\d+) accepted/.exec(first.stdout)![1]);
      const held = numbers().length;
      expect(accepted).toBeGreaterThan(0);
      const full = await runOnFullDisk(5, argv, env);
      expect(full.code).toBe(1);
      expect(full.text).toContain("the journal cannot be written: EFBIG");
      expect(full.text).toContain(`200 rows read: ${accepted} accepted, ${200 - accepted} not sent`);
      expect(numbers()).toHaveLength(held);
    },
  );

  it("under the copy of standard input stops the run before anything is sent", async () => {
    const { env, numbers, home } = await openWorld();
    const full = await runOnFullDisk(8, ["-", "-t", "commandes"], env, creates(3000));
    expect(full.code).toBe(1);
    expect(full.text).toContain("cannot be kept in");
    expect(numbers()).toEqual([]);
    expect((await runProcess(["runs"], { env: { XDG_STATE_HOME: home } })).stdout).toContain(
      "no runs are kept",
    );
  });
});

describe("a reader that has gone away", () => {
  const READERS = [
    ["standard error closed", '"$@" 2>&-'],
    ["standard output closed", '"$@" >&-'],
    ["both closed", '"$@" >&- 2>&-'],
    ["a reader of both that leaves at once", 'set -o pipefail; "$@" 2>&1 | true'],
  ] as const;
  it.each(shareOf(READERS, 2))("stops no push: %s", async (_, script) => {
    const { env, numbers } = await openWorld();
    const out = await makeFile("code", "");
    const argv = [await makeFile("a.csv", creates(60)), "-t", "commandes", "--batch-size", "1", "--verbose"];
    const shell = spawn(
      "bash",
      ["-c", `${script}; echo $? >"$OUT"`, "shell", process.execPath, BIN, ...sendOthers(argv)],
      {
        env: { PATH: process.env["PATH"] ?? "", OUT: out, ...env },
        stdio: "ignore",
      },
    );
    await new Promise((resolve) => shell.on("close", resolve));
    expect(numbers()).toHaveLength(60);
    expect((await readFile(out, "utf8")).trim()).toBe("0");
  });
});

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
