import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { decisionOn, doubtIn } from "../support/decide.ts";
import { openWorld } from "../support/open-world.ts";
import { startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

const KILLS = fileURLToPath(new URL("../support/kill-at-summary.mjs", import.meta.url));
const NUMBERS = Array.from({ length: 6 }, (_, at) => String(551_001 + at));
const LOST = "drop=before,kind=create,times=1";
const APPLIED_AND_LOST = "drop=after,kind=create,times=1";

/** A run whose creates are in doubt; the next request that sends them is applied, and its answer is lost too. */
async function openDoubt() {
  const world = await openWorld([LOST, APPLIED_AND_LOST]);
  const { sandbox, home, command, runs } = world;
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile("orders.csv", ["num_commande", ...NUMBERS, ""].join("\n"));
  const pushed = await command([file, "-t", "commandes", "--retries", "0"]);
  expect(pushed.code).toBe(8);
  const [run = ""] = await runs();
  const doubtFile = file.replace(".csv", ".in-doubt.csv");
  const [resend, byFile] = [`${doubtIn(pushed.stdout)}=resend`, doubtFile];
  const killing = (when: "before" | "after") => ({
    ...env,
    NODE_OPTIONS: `--import=${KILLS}`,
    ...(when === "before" ? { KILL_BEFORE: "1" } : {}),
  });
  return {
    ...world,
    env,
    doubtFile,
    run,
    killing,
    line: (decision: string) => ["resume", run, "--in-doubt", decision, "--retries", "0"],
    resend,
    byFile,
  };
}

async function deleteFirst(path: string): Promise<void> {
  const lines = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, lines.toSpliced(1, 1).join("\n"));
}

describe("the line of a decision that is typed again", () => {
  it.each([
    ["resend", "before"],
    ["byFile", "before"],
    ["byFile", "after"],
  ] as const)("decides nothing more if its command was killed (%s, %s it printed)", async (how, when) => {
    const { killing, command, numbers, run, doubtFile, ...world } = await openDoubt();
    if (how === "byFile") await deleteFirst(doubtFile);
    const sent = how === "byFile" ? NUMBERS.slice(1) : NUMBERS;
    const line = world.line(world[how]);
    expect((await startProcess(line, killing(when)).ended).signal).toBe("SIGKILL");
    expect(numbers()).toEqual(sent);
    for (let again = 1; again <= 2; again++) {
      const end = await command(line);
      expect(end).toMatchObject({
        code: 8,
        stdout: expect.stringMatching(
          /if they are there: rec-push resume \S+ --in-doubt [0-9a-f]{8}=applied/,
        ),
        stderr: expect.stringContaining("was decided before (to be sent): this line decides nothing"),
      });
      expect(doubtIn(end.stdout)).not.toBe(world.resend.slice(0, 8));
      expect(numbers()).toEqual(sent);
    }
    expect((await command(await decisionOn(command, "applied", run))).code).toBe(0);
    expect(numbers()).toEqual(sent);
  });

  it.each(["resend", "byFile"] as const)(
    "decides once if it is typed twice within a moment: %s",
    async (how) => {
      const { env, command, numbers, doubtFile, ...world } = await openDoubt();
      if (how === "byFile") await deleteFirst(doubtFile);
      const line = [...world.line(world[how]), "--wait-lock", "1m"];
      const first = startProcess(line, env);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const ends = [await startProcess(line, env).ended, await first.ended];
      expect(ends.map(({ code }) => code)).toEqual([8, 8]);
      expect(numbers()).toEqual(how === "byFile" ? NUMBERS.slice(1) : NUMBERS);
      expect((await command(await decisionOn(command, "applied"))).code).toBe(0);
    },
  );

  it("after new doubt was told needs the new name, also over the same rows", async () => {
    const { command, numbers, line, resend } = await openDoubt();
    const first = await command(line(resend));
    expect(first.code).toBe(8);
    expect((await command(line(resend))).code).toBe(8);
    expect(numbers()).toEqual(NUMBERS);
    // The user says that they are not there.
    expect((await command(line(`${doubtIn(first.stdout)}=resend`))).code).toBe(0);
    expect(numbers()).toEqual([...NUMBERS, ...NUMBERS]);
  });

  it("sends what its decision sends and never left", async () => {
    const { sandbox, command, numbers, line, resend } = await openDoubt();
    sandbox.setFaults(["status=401"]);
    expect((await command(line(resend))).code).toBe(5);
    expect(numbers()).toEqual([]);
    sandbox.setFaults([]);
    const again = await command(line(resend));
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining("was decided before (to be sent)"),
    ]);
    expect(numbers()).toEqual(NUMBERS);
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
});

describe("records that are said to be absent", () => {
  it("are not sent by any later command of their run, and created by a push after it", async () => {
    const { sandbox, command, run, numbers, file } = await openUnfinished();
    sandbox.setFaults(["status=401"]);
    expect((await command(await decisionOn(command, "absent", run))).code).toBe(5);
    sandbox.setFaults([]);
    const rest = await command([file, "-t", "commandes", "--retries", "0"]);
    expect([rest.code, rest.stdout]).toEqual([0, expect.stringContaining("5 accepted, 1 not sent")]);
    expect(numbers()).toEqual(NUMBERS.slice(1));
    const exports = ["--exports", "full", "--identify-by", "record"];
    expect((await command([file, "-t", "commandes", ...exports])).code).toBe(0);
    expect(numbers()).toHaveLength(6);
    expect(new Set(numbers()).size).toBe(6);
  });

  /** The first request, of one record, is in doubt, and the others were never sent. */
  async function openUnfinished() {
    const world = await openWorld([LOST, "status=401,skip=1"]);
    const { command, runs } = world;
    const file = await makeFile("orders.csv", ["num_commande", ...NUMBERS, ""].join("\n"));
    const pace = ["--retries", "0", "--batch-size", "1", "--concurrency", "1", "--max-failed", "1"];
    expect((await command([file, "-t", "commandes", ...pace])).code).toBe(8);
    return { ...world, file, run: (await runs())[0]! };
  }
});
