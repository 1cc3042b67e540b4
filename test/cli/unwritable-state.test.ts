import { sendOthers } from "../support/other-columns.ts";
import { mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { placeOfTable } from "../../src/store/state-directory.ts";
import { shareOf } from "../support/draws.ts";
import { openWorld } from "../support/open-world.ts";
import { BIN, runProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";
import { expectEnd } from "../support/scenario.ts";

const DISK = fileURLToPath(new URL("../support/full-disk.mjs", import.meta.url));

const creates = (count: number): string =>
  ["num_commande", ...Array.from({ length: count }, (_, at) => 100_000 + at), ""].join("\n");

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
  it.each(["", "tables/TABLE/runs", "tables", "incoming"])(
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

  it("before the first entry of the journal leaves no run that could be resumed", async () => {
    const { env, numbers } = await openWorld();
    const argv = [await makeFile("a.csv", creates(3)), "-t", "commandes"];
    expect((await runOnFullDisk(0, argv, env)).code).toBe(1);
    expect(numbers()).toEqual([]);
    expect((await runProcess(argv, { env })).code).toBe(0);
    expect((await runProcess(["resume"], { env })).code).toBe(2);
    expect(numbers()).toHaveLength(3);
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
