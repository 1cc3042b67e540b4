import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { lstat, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { shareOf } from "../support/draws.ts";
import { openWorld } from "../support/open-world.ts";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { BIN, runProcess, startProcess } from "../support/run-process.ts";
import { expectEnd } from "../support/scenario.ts";
import { configWords, makeDirectory, makeFile } from "../support/temp-files.ts";

const CREATES = ["num_commande", ...Array.from({ length: 40 }, (_, at) => 1000 + at), ""].join("\n");

async function open(faults: readonly string[], batch = "2") {
  const world = await openWorld(faults);
  const file = await world.file("orders.csv", CREATES);
  const pace = ["--batch-size", batch, "--concurrency", "4"];
  const listed = async () => (await world.command(["runs", "--json"])).events()[0];
  return { ...world, argv: [file, "-v", "-t", "commandes", ...pace], listed };
}

describe("a run that a signal interrupts", () => {
  const signals = [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const;
  it.each(signals)(
    "by %s lets requests in flight finish, stays open, and the same command ends it",
    async (signal, expected) => {
      const { argv, start, command, numbers, listed } = await open(["latency=50"]);
      const first = start(argv);
      await first.waitForStdout(/200 Update Items OK/);
      first.child.kill(signal);
      const { code, stdout } = await first.ended;
      expect([code, stdout]).toEqual([
        expected,
        expect.stringMatching(/40 rows read: \d+ accepted, \d+ not sent/),
      ]);
      expect(await listed()).toMatchObject({
        state: "unfinished",
        exitCode: expected,
        accepted: numbers().length,
      });
      expect((await command(argv)).code).toBe(0);
      expect([numbers().length, new Set(numbers()).size]).toEqual([40, 40]);
    },
  );

  it("after its last request had left ends with 0, as all was accepted", async () => {
    // All rows but the first are in one request.
    const { argv, start, sandbox, listed } = await open(["latency=400,kind=create,skip=1"], "500");
    const { child, ended } = start(argv);
    await expect.poll(() => sandbox.requests().requests, { interval: 5, timeout: 60_000 }).toBe(2);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("40 rows read: 40 accepted"),
      stderr: expect.stringContaining("SIGTERM: no new batch is sent; requests in flight get 25 s"),
    });
    expect(await listed()).toMatchObject({ state: "finished", exitCode: 0 });
  });

  it("leaves in doubt what the second signal cut off, and says so to programs", async () => {
    const { argv, start, command, sandbox, numbers, listed } = await open(["hang,skip=3"]);
    // The first signal alone would end it after the test.
    const first = start([...argv, "--json", "--grace", "10m"]);
    await first.waitForStdout(/"outcome":"accepted"/);
    await expect.poll(() => sandbox.requests().requests, { interval: 5 }).toBeGreaterThan(3);
    first.child.kill("SIGTERM");
    await first.waitForStdout(/a second signal/);
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(8);
    const run = await listed();
    expect(run).toMatchObject({ state: "unfinished", exitCode: 8, table: "commandes", read: 40 });
    expect(run?.["inDoubtAt"]).not.toEqual([]);
    sandbox.setFaults([]);
    expect((await command(argv)).code).toBe(8);
    expect(await listed()).toMatchObject({ state: "unsettled" });
    expect((await command(await decisionOn(command, "resend"))).code).toBe(0);
    expect(numbers()).toHaveLength(40);
  });
});

const HOOK = fileURLToPath(new URL("../support/signal-at-end.cjs", import.meta.url));

const columns = (count: number, cell: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => cell(at)).join(",");

const FILES: readonly (readonly [string, string])[] = [
  [
    "a wide table",
    `cle,${columns(1500, (at) => `c${at}`)}\n${Array.from({ length: 20 }, (_, row) => `K${row},${columns(1500, (at) => `${at}.5`)}\n`).join("")}`,
  ],
  ["one row of numbers", `${columns(40_000, () => "1")}\n`],
  ["many narrow rows", `cle,date_facture,c\n${"K\n".repeat(60_000)}`],
];

describe.each(FILES)("a check of %s, when all of it is read", (_, content) => {
  it.each(
    shareOf(
      [
        ["SIGINT", 1, 130],
        ["SIGTERM", 2, 143],
        ["SIGINT", 2, 130],
      ] as const,
      1,
    ),
  )("ends with %s at the end of pass %i with %i", async (signal, ends, expected) => {
    const file = await makeFile("a.csv", content);
    const env = { NODE_OPTIONS: `--require ${HOOK}`, SIGNAL_AT_END: signal, ENDS: String(ends) };
    const { code, stdout, stderr } = await runProcess(
      ["check", file, "--delimiter", "comma", "--header-line", "1"],
      { env },
    );
    expect({ code, stderr }).toMatchObject({
      code: expected,
      stderr: expect.stringContaining("interrupted"),
    });
    expect(stdout).not.toContain("ready to send");
  });
});

const ARGV = ["-t", "commandes", "--json", "--sandbox"];

async function makePipe(): Promise<{ readonly pipe: string; readonly temp: string }> {
  const temp = await makeDirectory();
  const pipe = join(await makeDirectory(), "pipe");
  execFileSync("mkfifo", [pipe]);
  return { pipe, temp };
}

describe("an input that does not end", () => {
  it("is interrupted by a signal: a named pipe that nobody writes to", async () => {
    const { pipe, temp } = await makePipe();
    const { child, waitForStdout, ended } = startProcess(["push", pipe, ...ARGV], { TMPDIR: temp });
    await waitForStdout(/"event":"run"/);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(143);
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

const ROWS = "cle,num_commande\nA1,1\n";

describe("a signal", () => {
  it("that comes right after the summary leaves it the last event", async () => {
    const file = await makeFile("a.csv", ROWS);
    const sandbox = await openSandbox();
    const atSummary =
      "const w=process.stdout.write.bind(process.stdout);" +
      "process.stdout.write=(t,...r)=>{if(String(t).includes('\"summary\"'))process.kill(process.pid,'SIGTERM');return w(t,...r)}";
    const { ended } = startProcess([file, "-t", "t", "--json"], {
      XDG_STATE_HOME: makeStateHome(),
      REC_PUSH_URL: sandbox.url,
      REC_PUSH_TOKEN: sandbox.token,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(atSummary)}`,
    });
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ event: "summary" });
    expect(stderr).not.toContain("SIGTERM");
  });

  it("that comes before anything was sent says what to do next", async () => {
    const { child, waitForStdout, ended } = startProcess(["-", "-t", "t", "--sandbox", "--json"]);
    await waitForStdout(/"event":"run"/);
    child.kill("SIGTERM");
    await expectEnd(ended, 143, '"next":["run the same command again"]');
  });
});

describe("check --records", () => {
  it("follows no link, and writes a file that is private", async () => {
    const file = await makeFile("a.csv", ROWS);
    const directory = await makeDirectory();
    const other = await makeFile("other", "precious\n");
    await symlink(other, join(directory, "link"));
    await expectEnd(
      runMain(["check", file, "--records", join(directory, "link")]),
      1,
      "it is a link, which is not followed",
    );
    expect(await readFile(other, "utf8")).toBe("precious\n");
    expect((await lstat(join(directory, "link"))).isSymbolicLink()).toBe(true);
    const path = join(directory, "records.ndjson");
    expect((await runMain(["check", file, "--records", path])).code).toBe(0);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

it("a file whose name is not UTF-8 is told to be renamed", async () => {
  const directory = await makeDirectory();
  const name = Buffer.concat([Buffer.from(join(directory, "caf")), Buffer.from([0xe9]), Buffer.from(".csv")]);
  await writeFile(name, ROWS);
  const { stderr, status } = spawnSync("bash", ["-c", `node ${BIN} check caf*`], {
    cwd: directory,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([3, expect.stringContaining("is not UTF-8: rename it")]);
});
