import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../support/plain-server.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

/** The time after which the first request, given up, is applied. */
const LANDS_AFTER_MS = 600;

/** A service that gives up the first request but applies it later, and applies all others at once. */
async function openLate(giveUp: (response: ServerResponse) => void) {
  const table = new Map<string, string>();
  const seen: string[] = [];
  let landing: Promise<void> | undefined;
  const { url, close } = await startServer((_, body, response) => {
    const records = JSON.parse(body.toString()) as readonly Readonly<
      Record<"cle" | "num_commande", string>
    >[];
    seen.push(records.map(({ cle, num_commande: value }) => `${cle}=${value}`).join(" "));
    const apply = (): void => {
      for (const { cle, num_commande: value } of records) table.set(cle, value);
    };
    if (landing === undefined) {
      landing = sleep(LANDS_AFTER_MS).then(apply);
      giveUp(response);
      return;
    }
    apply();
    response.setHeader("content-type", "application/json").end('{"msg":"Update Items OK."}');
  });
  onTestFinished(close);
  const env = {
    XDG_STATE_HOME: makeStateHome(),
    REC_PUSH_URL: url,
    REC_PUSH_TOKEN: "late-token",
  };
  const push = (argv: readonly string[]) =>
    runMain(["--late", "2s", "--table", "commandes", "--retries", "0", ...argv], { env });
  return { table, seen, env, push, landed: async () => landing };
}

const FILE = "cle,num_commande\nK,1\n";
const LATER = "K,2\n";
const NEWER = "cle,num_commande\nK,2\n";
const WAITS = "an update that got no answer may still be applied (--late)";

/** Kills a push once its first request has arrived; returns its exit code. */
async function killAt(file: string, seen: readonly string[], env: Record<string, string>) {
  const { child, ended } = startProcess([file, "--table", "commandes"], env);
  while (seen.length === 0) await sleep(10);
  child.kill("SIGKILL");
  return (await ended).code;
}

describe("an update that an earlier command gave up, and that lands later", () => {
  it("puts no old value over that of another file", async () => {
    const { table, push, landed } = await openLate((response) => response.destroy());
    expect((await push([await makeFile("one.csv", FILE)])).code).toBe(7);
    expect((await push([await makeFile("two.csv", NEWER)])).code).toBe(0);
    await landed();
    expect(Object.fromEntries(table)).toEqual({ K: "2" });
  });

  it.each([
    ["another file", FILE, NEWER, false],
    ["another file after a kill", FILE, NEWER, true],
    ["the same file where it holds a key twice", FILE + LATER, FILE + LATER, false],
  ])("keeps %s waiting, which is reported and ends at a signal", async (_, first, second, isKilled) => {
    const { seen, env, push } = await openLate((response) => (isKilled ? undefined : response.destroy()));
    const file = await makeFile("one.csv", first);
    const before = isKilled ? await killAt(file, seen, env) : (await push([file])).code;
    expect(before).toBe(isKilled ? null : 7);
    const next = await makeFile("two.csv", second);
    const signalAt = { signal: "SIGINT", text: /may still be applied \(--late\)/ } as const;
    const { code, stderr } = await runMain([next, "--table", "commandes", "--late", "30s"], {
      env,
      signalAt,
    });
    expect([code, stderr]).toEqual([130, expect.stringContaining(WAITS)]);
    expect(seen).toEqual(["K=1"]);
  });

  it("ends no night without progress, where each is killed and the next begins at once", async () => {
    const { table, seen, env } = await openLate((response) => response.destroy());
    const rows = Array.from({ length: 40 }, (_, at) => `K${at},${at}\n`).join("");
    const file = await makeFile("orders.csv", `cle,num_commande\n${rows}`);
    const argv = [file, "--table", "commandes", "--late", "1h", "--batch-size", "2", "--concurrency", "1"];
    const accepted: number[] = [];
    for (let night = 0; night < 4; night++) {
      const before = seen.length;
      const { child, ended } = startProcess(argv, env);
      await expect.poll(() => seen.length, { timeout: 60_000, interval: 1 }).toBeGreaterThan(before + 2);
      child.kill("SIGKILL");
      await ended;
      accepted.push(table.size);
    }
    expect(accepted).toEqual([...new Set(accepted)]);
    expect((await runMain(argv, { env })).code).toBe(0);
    expect(table.size).toBe(40);
  });

  it("keeps nothing back where the same file holds each key once: its value is the same", async () => {
    const { seen, push } = await openLate((response) => response.destroy());
    const file = await makeFile("one.csv", FILE);
    expect((await push([file])).code).toBe(7);
    expect((await push([file, "--late", "1h"])).code).toBe(0);
    expect(seen).toEqual(["K=1", "K=1"]);
  });
});
