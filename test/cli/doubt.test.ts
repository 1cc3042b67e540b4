import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { decisionOn, doubtIn } from "../support/decide.ts";
import { openWorld } from "../support/open-world.ts";

const KILLS = fileURLToPath(new URL("../support/kill-at-summary.mjs", import.meta.url));
const NUMBERS = Array.from({ length: 6 }, (_, at) => String(551_001 + at));
const LOST = "drop=before,kind=create,times=1";
const APPLIED_AND_LOST = "drop=after,kind=create,times=1";

/** A run whose creates are in doubt; the next request that sends them is applied, and its answer is lost too. */
async function openDoubt() {
  const world = await openWorld();
  await world.prove("num_commande\n990000\n");
  world.sandbox.setFaults([LOST, APPLIED_AND_LOST]);
  const file = await world.file("orders.csv", ["num_commande", ...NUMBERS, ""].join("\n"));
  const pushed = await world.command([file, "-t", "commandes", "--retries", "0"]);
  expect(pushed.code).toBe(8);
  const [run = ""] = await world.runs();
  const byFile = "orders.in-doubt.csv";
  return {
    ...world,
    run,
    line: (decision: string) => ["resume", run, "--in-doubt", decision, "--retries", "0"],
    resend: `${doubtIn(pushed.stdout)}=resend`,
    byFile,
    /** The user says that the first record is there. */
    deleteFirst: async (file = byFile) => {
      const path = resolve(world.directory, file);
      const lines = (await readFile(path, "utf8")).split("\n");
      await writeFile(path, lines.toSpliced(1, 1).join("\n"));
    },
  };
}

describe("the line of a decision that is typed again", () => {
  it.each([
    ["resend", "before"],
    ["byFile", "after"],
  ] as const)("decides nothing more if its command was killed (%s, %s it printed)", async (how, when) => {
    const { start, command, numbers, run, deleteFirst, ...world } = await openDoubt();
    if (how === "byFile") await deleteFirst();
    const sent = how === "byFile" ? NUMBERS.slice(1) : NUMBERS;
    const line = world.line(world[how]);
    const killing = { NODE_OPTIONS: `--import=${KILLS}`, ...(when === "before" ? { KILL_BEFORE: "1" } : {}) };
    expect((await start(line, killing).ended).signal).toBe("SIGKILL");
    expect(numbers()).toEqual(sent);
    for (let again = 1; again <= 2; again++) {
      const end = await command(line);
      expect(end).toMatchObject({
        code: 8,
        stdout: expect.stringMatching(
          /if they are there: rec-push resume \S+ --in-doubt [0-9a-f]{8}=applied/,
        ),
        stderr: expect.stringContaining("was decided before (resend): this line decides nothing"),
      });
      expect(doubtIn(end.stdout)).not.toBe(world.resend.slice(0, 8));
      expect(numbers()).toEqual(sent);
    }
    expect((await command(await decisionOn(command, "applied", run))).code).toBe(0);
    expect(numbers()).toEqual(sent);
  });

  it("decides once if it is typed three times within a moment", async () => {
    const { start, sandbox, numbers, line, byFile, deleteFirst } = await openDoubt();
    sandbox.setFaults(["latency=300,kind=create"]);
    await deleteFirst();
    const type = () => start([...line(byFile), "--wait-lock", "1m"]).ended;
    const ends = await Promise.all([type(), type(), type()]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(ends.filter(({ stderr }) => stderr.includes("was decided before"))).toHaveLength(2);
    expect(numbers()).toEqual(NUMBERS.slice(1));
  });

  it("waits while a process pushes the run, whose records in flight are not in doubt", async () => {
    const { sandbox, numbers, command, start, run, line, resend } = await openDoubt();
    sandbox.setFaults(["hang,after-applying,kind=create,times=1"]);
    const one = start(line(resend));
    await expect.poll(numbers, { interval: 10, timeout: 60_000 }).toHaveLength(6);
    const { pid } = one.child;
    const other = await command(line(resend));
    expect([other.code, other.stderr]).toEqual([9, expect.stringContaining(`${pid}`)]);
    const listed = (await command(["runs"])).stdout;
    expect(listed).toContain(`running, pid ${pid}`);
    expect(listed).not.toContain("ended unexpectedly");
    expect((await command(["runs", run, "--json"])).events()).toMatchObject([
      { running: { pid }, next: ["wait until it has ended"] },
    ]);
    const waiting = command([...line(resend), "--wait-lock", "1m"]);
    one.child.kill("SIGKILL");
    expect((await waiting).code).toBe(8);
    expect(numbers()).toHaveLength(6);
  });

  it("sends what its decision sends and never left", async () => {
    const { sandbox, command, numbers, line, resend } = await openDoubt();
    sandbox.setFaults(["status=401"]);
    expect((await command(line(resend))).code).toBe(5);
    expect(numbers()).toEqual([]);
    sandbox.setFaults([]);
    expect(await command(line(resend))).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("was decided before (resend)"),
    });
    expect((await command(line(resend))).code).toBe(0);
    expect(numbers()).toEqual(NUMBERS);
  });

  it.each(["applied", "absent"] as const)("with another answer than %s decides nothing", async (answer) => {
    const { command, numbers, run, resend, line } = await openDoubt();
    expect((await command(await decisionOn(command, answer, run))).code).toBe(0);
    const other = await command(line(resend));
    expect([other.code, other.stderr]).toEqual([0, expect.stringContaining("this line decides nothing")]);
    expect(numbers()).toEqual([]);
  });

  it("names its doubt: any other decides nothing, shows the lines and ends with 8", async () => {
    const { command, numbers, line, resend } = await openDoubt();
    const end = await command(line("01234567=resend"));
    expect([end.code, end.stderr]).toEqual([8, expect.stringContaining("01234567 is not in doubt")]);
    expect(end.stdout).toContain(`--in-doubt ${resend}`);
    expect(await command(line("resend"))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected the name of the doubt before the answer"),
    });
    expect(numbers()).toEqual([]);
  });

  it("of a run that was given up says in events what is open, and what became of it", async () => {
    const { command, run, line, resend } = await openDoubt();
    const applied = resend.replace("resend", "applied");
    await command(["runs", "abandon", run]);
    const told = async (decision: string) => (await command([...line(decision), "--json"])).events().at(-1);
    const open = await told(resend);
    expect(open).toMatchObject({ event: "summary", exitCode: 8, inDoubt: 6 });
    expect(JSON.stringify(open)).toContain(`rec-push resume ${run} --in-doubt ${applied}`);
    expect(await told(applied)).toMatchObject({ event: "summary", exitCode: 0, accepted: 6, inDoubt: 0 });
    expect(await told(applied)).toMatchObject({ exitCode: 0 });
  });
});

const CSV = "num_commande\n551000\nx\n551001\n551002\n";
const WORDS =
  "-t commandes --concurrency 1 --batch-size 1 --retries 0 --on-invalid skip --header-line 1".split(" ");

/** The rejects that are named, which hold both rows. */
async function rejectsIn(stdout: string): Promise<string> {
  const [, path = ""] = /Next: mend the 2 rows in (\S+),/.exec(stdout) ?? [];
  const text = await readFile(path, "utf8");
  expect(text).toMatch(/^[^;,]+[;,]2[;,].*551000$/m);
  expect(text).toMatch(/^[^;,]+[;,]3[;,].*x$/m);
  return path;
}

/** It has an invalid row, its first create was refused and its last is in doubt. */
it.each([
  ["a file has them written by the command that decides", "orders.csv"],
  ["standard input has them written by the command that goes on with it", "-"],
])("a run that was killed before it wrote any file of rows: %s, and not written again", async (_, name) => {
  const { file, killAtHang, command } = await openWorld([
    "refuse=num_commande:551000",
    "hang,after-applying,kind=create,skip=2",
  ]);
  await killAtHang([name === "-" ? name : await file(name, CSV), ...WORDS], CSV);
  const decision = await decisionOn(command, "applied");
  const goesOn = async (code: number) => {
    const end = await command(["resume", decision[1]!]);
    expect(end).toMatchObject({ code });
    return rejectsIn(end.stdout);
  };
  const before = name === "-" ? await goesOn(8) : undefined;
  const decided = await command(decision);
  expect(decided).toMatchObject({
    code: 4,
    stdout: expect.stringContaining("2 accepted, 1 refused, 1 rejected"),
  });
  const path = await rejectsIn(decided.stdout);
  expect(before ?? (await goesOn(4))).toBe(path);
});
