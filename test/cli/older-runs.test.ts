import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";
import { allRunsIn, runsIn } from "../support/table-parts.ts";

const rows = (...pairs: readonly string[]): string => `cle,num_commande\n${pairs.join("\n")}\n`;
const OLD = rows("A1,1", "A2,1", "A3,1");
const NEWER = rows("B1,2", "A2,2");
const OTHER = rows("B1,2", "B2,2");

/** An open run that has sent nothing yet, and functions for the next commands. */
async function openWorld() {
  const sandbox = await openSandbox({ faults: ["status=401"] });
  const home = makeStateHome();
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const push = async (text: string, ...more: readonly string[]) =>
    pushTo(sandbox, [await makeFile("rows.csv", text), ...more], { env });
  const command = (...argv: readonly string[]) => runMain(argv, { env });
  const runs = () => allRunsIn(join(home, "rec-push"));
  const directoryOf = (run: string): string => join(runsIn(join(home, "rec-push")), run);
  await push(OLD);
  const [older = ""] = await runs();
  sandbox.setFaults([]);
  const valueOf = (key: string) => heldBy(sandbox).find(({ cle }) => cle === key)?.["num_commande"];
  return { sandbox, push, command, runs, directoryOf, older, valueOf };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a run that is older than another on its table", () => {
  it("is named by the later one", async () => {
    const { push, older } = await openWorld();
    const { code, stderr, stdout } = await push(NEWER);
    expect(code).toBe(0);
    expect(stdout + stderr).toContain(older);
  });

  it("passes rows over of which the later one sent all fields, naming the line", async () => {
    const { push, command, older, valueOf } = await openWorld();
    await push(NEWER);
    const { code, stdout, stderr } = await command("resume", older, "--quiet");
    expect(code).toBe(0);
    expect(stderr).toContain("rows.csv: 1 row (line 3) is passed over: later rows with the same key");
    expect(stdout).toBe("");
    expect([valueOf("A1"), valueOf("A2"), valueOf("A3")]).toEqual(["1", "2", "1"]);
    expect((await command("runs", "--all")).stdout).toContain("2 accepted, 1 skipped");
  });

  it("still passes them over where the first resume sent nothing else", async () => {
    const { sandbox, push, command, older, valueOf } = await openWorld();
    await push(NEWER);
    sandbox.setFaults(["status=401"]);
    expect((await command("resume", older)).code).toBe(5);
    sandbox.setFaults([]);
    expect((await command("resume", older)).stdout).toContain("2 accepted, 1 skipped");
    expect([valueOf("A1"), valueOf("A2"), valueOf("A3")]).toEqual(["1", "2", "1"]);
  });

  it("sends them with --stale-ok", async () => {
    const { push, command, older, valueOf } = await openWorld();
    await push(NEWER);
    expect((await command("resume", older, "--stale-ok")).code).toBe(0);
    expect(valueOf("A2")).toBe("1");
  });

  it("sends rows of which the later one gave other fields", async () => {
    const { push, command, older, valueOf } = await openWorld();
    await push("cle,ville,num_commande\nA2,Nice,\nB1,Lyon,2\n", "--other-columns", "send");
    expect((await command("resume", older)).code).toBe(0);
    expect(valueOf("A2")).toBe("1");
  });

  it("is resumed where the later one sent other keys", async () => {
    const { push, command, older, valueOf } = await openWorld();
    await push(OTHER);
    expect((await command("resume", older)).code).toBe(0);
    expect(valueOf("A3")).toBe("1");
  });

  it("is not resumed where the later one sent one of its keys, also after the journal of that was repaired", async () => {
    const { sandbox, push, command, older, runs, directoryOf, valueOf } = await openWorld();
    sandbox.setFaults(["status=401,skip=2"]);
    const slowly = ["--batch-size", "1", "--concurrency", "1"];
    expect((await push(rows("B1,2", "A2,2", "C1,2"), ...slowly)).code).toBe(5);
    sandbox.setFaults([]);
    const journal = join(directoryOf((await runs()).find((run) => run !== older)!), "journal");
    const text = await readFile(journal, "utf8");
    await writeFile(journal, text.replace('"entry":"keys"', '"entry":"kezs"'));
    expect((await command("runs", "repair")).code).toBe(0);
    const { code, stderr } = await command("resume", older);
    expect([code, stderr]).toEqual([2, expect.stringContaining('"A2"')]);
    expect(valueOf("A2")).toBe("2");
  });

  it("is not resumed, whatever keys the later one sent, where its journal is damaged or lost", async () => {
    const { sandbox, push, command, older, runs, directoryOf, valueOf } = await openWorld();
    sandbox.setFaults(["status=401,skip=1"]);
    expect((await push(OTHER, "--batch-size", "1", "--concurrency", "1")).code).toBe(5);
    sandbox.setFaults([]);
    const journal = join(directoryOf((await runs()).find((run) => run !== older)!), "journal");
    const text = await readFile(journal, "utf8");
    expect(text.match(/"entry":"keys"/g)).toHaveLength(1);
    await writeFile(journal, text.replace('"entry":"keys"', '"entry":"kezs"'));
    expect((await command("resume", older)).code).toBe(2);
    await rm(journal);
    expect((await command("resume", older)).code).toBe(2);
    await writeFile(journal, text);
    expect((await command("resume", older)).code).toBe(0);
    expect(valueOf("A3")).toBe("1");
  });

  it("is not resumed either where the keys that a closed later one left are changed or lost, also once it is pruned", async () => {
    const { push, command, older, runs, directoryOf, valueOf } = await openWorld();
    expect((await push(OTHER)).code).toBe(0);
    const later = (await runs()).find((run) => run !== older)!;
    expect(await readdir(directoryOf(later))).toEqual(["journal"]);
    // As long as the older one is open, they stay.
    await command("runs", "prune");
    const keys = join(directoryOf(later), "journal");
    const bytes = await readFile(keys);
    const lines = bytes.toString().split(/(?<=\n)/);
    const beforeKeys = lines.findIndex((line) => line.includes('"entry":"keys"'));
    for (const spoilt of [Buffer.concat([bytes, bytes]), lines.slice(0, beforeKeys).join("")]) {
      await writeFile(keys, spoilt);
      expect((await command("resume", older)).code).toBe(2);
    }
    await rm(keys);
    expect((await command("resume", older)).code).toBe(2);
    await writeFile(keys, bytes);
    expect((await command("resume", older)).code).toBe(0);
    expect(valueOf("A3")).toBe("1");
    await command("runs", "prune");
    expect(await runs()).toEqual([]);
  });

  it("is resumed if the service accepted nothing of the later one", async () => {
    const { sandbox, push, command, older, valueOf } = await openWorld();
    sandbox.setFaults(["status=401"]);
    expect((await push(NEWER)).code).toBe(5);
    sandbox.setFaults([]);
    expect((await push(OLD)).code).toBe(0);
    expect(valueOf("A2")).toBe("1");
    // The later run then sends its own value.
    expect((await command("resume")).code).toBe(0);
    expect([valueOf("A2"), (await command("resume", older)).code]).toEqual(["2", 0]);
  });

  it("stays the older one when the clock was set back in between", async () => {
    const { push, command, older } = await openWorld();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 86_400_000 });
    await push(NEWER);
    vi.useRealTimers();
    expect((await command("resume", older)).stdout).toContain("2 accepted, 1 skipped");
  });

  it("does not make the later one stale, even if the clock was set back", async () => {
    const { sandbox, push, command, older, valueOf, runs } = await openWorld();
    sandbox.setFaults(["status=401"]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 86_400_000 });
    await push(NEWER);
    vi.useRealTimers();
    sandbox.setFaults([]);
    // Without a name, the run that began last is resumed.
    expect((await command("resume")).stdout).toContain("2 accepted");
    expect(valueOf("A2")).toBe("2");
    expect((await command("resume", older)).stdout).toContain("2 accepted, 1 skipped");
    expect(await runs()).toHaveLength(2);
  });

  it("does not bring old values back after the later one was pruned", async () => {
    const { push, command, older, valueOf } = await openWorld();
    await push(NEWER);
    await command("runs", "prune");
    expect((await command("resume", older)).stdout).toContain("2 accepted, 1 skipped");
    expect(valueOf("A2")).toBe("2");
    expect((await command("runs", "prune")).stdout).toContain("2 finished runs removed");
  });
});

describe("one command with several files", () => {
  it("goes on with all of them after an update of the first failed", async () => {
    const { sandbox, push, command, older, valueOf } = await openWorld();
    await command("runs", "abandon", older);
    const second = await makeFile("second.csv", NEWER);
    sandbox.setFaults(["status=500,times=1"]);
    const first = await push(OLD, second, "--retries", "0");
    expect(first).toMatchObject({
      code: 7,
      stdout: expect.stringContaining("1 accepted, 3 failed, 1 not sent"),
    });
    expect((await push(OLD, second)).code).toBe(0);
    expect([valueOf("A1"), valueOf("A2")]).toEqual(["1", "2"]);
  });
});
