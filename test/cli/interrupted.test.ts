import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { shareOf } from "../support/draws.ts";
import { openWorld } from "../support/open-world.ts";
import { runProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

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
      stderr: expect.stringContaining("SIGTERM: no new batch is sent"),
    });
    expect(await listed()).toMatchObject({ state: "finished", exitCode: 0 });
  });

  it("leaves in doubt what the second signal cut off, and says so to programs", async () => {
    const { argv, start, command, sandbox, numbers, listed } = await open(["hang,skip=3"]);
    const first = start([...argv, "--json"]);
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

it("a check of one row of numbers ends with SIGINT, not with a question", async () => {
  const file = await makeFile("a.csv", `${columns(40_000, () => "1")}\n`);
  const env = { NODE_OPTIONS: `--require ${HOOK}`, SIGNAL_AT_END: "SIGINT", ENDS: "1" };
  const { code, stderr } = await runProcess(["check", file, "--delimiter", "comma", "--header-line", "1"], {
    env,
  });
  expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringContaining("interrupted") });
});
