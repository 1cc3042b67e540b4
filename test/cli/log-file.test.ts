import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const ROWS = "cle,num_commande\nA1,1\nA2,2\n";
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /;

async function pushWithLog(argv: readonly string[], content = ROWS, faults: readonly string[] = []) {
  const { push, sandbox } = await openWorld(faults);
  const log = join(await makeDirectory(), "push.log");
  const file = await makeFile("orders.csv", content);
  const result = await push([file, "--log-file", log, ...argv]);
  const lines = async () => (await readFile(log, "utf8")).split("\n").slice(0, -1);
  return { ...result, log, lines, push, file, sandbox };
}

describe("--log-file", () => {
  it("gets everything that would be shown, with the time of each line, even with --quiet", async () => {
    const { code, stdout, lines, log } = await pushWithLog(["--quiet", "--delimiter", ","]);
    expect([code, stdout]).toEqual([0, ""]);
    const found = await lines();
    for (const line of found) expect(line).toMatch(TIME);
    expect(found[0]).toMatch(/Z rec-push push \S+orders\.csv .*--quiet/);
    expect(found.at(-1)).toMatch(/Z exit 0$/);
    expect(found.filter((line) => /Z run \S+: table commandes at http/.test(line))).toHaveLength(1);
    expect(found.join("\n")).toMatch(
      /orders\.csv: CSV with[\s\S]*update .* 200 Update[\s\S]*2 rows read: 2 accepted/,
    );
    expect((await stat(log)).mode & 0o777).toBe(0o600);
  });

  it("is appended to, as events with --json", async () => {
    const { lines, push, file, log } = await pushWithLog(["--json"]);
    await push([file, "--log-file", log, "--json"]);
    const events = (await lines()).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.filter(({ event }) => event === "summary")).toHaveLength(2);
    for (const { schema, time } of events)
      expect([schema, `${String(time)} `]).toEqual([1, expect.stringMatching(TIME)]);
  });

  it("names the command without its secrets", async () => {
    const { lines } = await pushWithLog([
      "--verbose",
      "-H",
      "X-Key: not-for-logs",
      "--query",
      "k=hidden-too",
    ]);
    const found = await lines();
    expect(found[0]).toContain("--verbose");
    expect(found.join("\n")).not.toMatch(/not-for-logs|hidden-too/);
    expect(found.filter((line) => /Z run \S+: table /.test(line))).toHaveLength(1);
  });

  it("that cannot be opened stops the push before anything is sent", async () => {
    const { push, sandbox } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    const { code, stderr } = await push([file, "--log-file", "/no/such/directory/log"]);
    expect(code).toBe(2);
    expect(stderr).toContain("the log cannot go to /no/such/directory/log: ENOENT");
    expect(sandbox.store.snapshot("commandes")).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")("on a full disk stops no push, and says so once", async () => {
    const { push } = await openWorld();
    const { code, stderr } = await push([await makeFile("orders.csv", ROWS), "--log-file", "/dev/full"]);
    expect(code).toBe(0);
    expect(stderr.match(/the log \/dev\/full is not complete: ENOSPC/g)).toHaveLength(1);
  });
});

describe("an event", () => {
  it("has its time and the number of its form", async () => {
    const { push } = await openWorld();
    const { events } = await push([await makeFile("orders.csv", ROWS), "--json"]);
    const times = events().map(({ schema, time }) => [schema, typeof time]);
    expect(new Set(times.map(String))).toEqual(new Set(["1,string"]));
    const all = events().map(({ time }) => String(time));
    expect(all).toEqual(all.toSorted());
  });
});
