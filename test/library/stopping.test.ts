import { spawn } from "node:child_process";
import { getEventListeners } from "node:events";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PushEvent, Run, SummaryEvent } from "../../src/library/index.ts";
import { makeRun } from "../../src/library/make-run.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { runProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";
import { endOf, makeEnv, pushInto } from "./support.ts";
import { runsIn } from "../support/table-parts.ts";
import { expectEnd } from "../support/scenario.ts";

const LIBRARY = new URL("../../dist/library/index.js", import.meta.url).href;
const CREATES = ["num_commande", ...Array.from({ length: 40 }, (_, at) => 1000 + at), ""].join("\n");
const IN_PAIRS = { batchSize: 2, concurrency: 4 } as const;

async function openWorld(faults: readonly string[] = ["latency=50"]) {
  const sandbox = await openSandbox({ faults });
  const home = makeStateHome();
  const file = await makeFile("orders.csv", CREATES);
  const numbers = () => heldBy(sandbox).map((fiche) => fiche["num_commande"]);
  const env = { ...makeEnv(home), REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  return { sandbox, home, file, numbers, env };
}

/** What the reader of a run does while the run waits for it. */
type Act = (events: AsyncIterator<PushEvent>, run: Run, controller: AbortController) => void;

type World = Awaited<ReturnType<typeof openWorld>>;

/** Aborts a push by a program after its first batch. */
async function abortPush({ sandbox, file, env }: World) {
  const controller = new AbortController();
  const run = pushInto(sandbox, file, { ...IN_PAIRS, env, signal: controller.signal });
  const events = [];
  let error: unknown;
  try {
    for await (const event of run) {
      events.push(event);
      if (event.event === "batch") controller.abort();
    }
  } catch (thrown) {
    error = thrown;
  }
  return { events, error, controller };
}

describe("a push that is aborted", () => {
  it("sends no new batch, settles those in flight, and the same push ends it", async () => {
    const world = await openWorld();
    const { events, error, controller } = await abortPush(world);
    expect(error).toMatchObject({ code: "interrupted", kind: "interrupted", summary: { exitCode: 130 } });
    const summary = events.at(-1);
    expect(summary).toMatchObject({ event: "summary", inDoubt: 0, accepted: world.numbers().length });
    expect(world.numbers().length).toBeLessThan(40);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    const { accepted } = await pushInto(world.sandbox, world.file, { ...IN_PAIRS, env: world.env }).summary();
    expect(accepted).toBe(40);
    expect([new Set(world.numbers()).size, world.numbers().length]).toEqual([40, 40]);
  });

  it("of rows is resumed by the command from their copy, and the copy goes", async () => {
    const world = await openWorld();
    const rows = Array.from({ length: 40 }, (_, at) => ({ num_commande: at }));
    const run = pushInto(world.sandbox, { rows, name: "the shop" }, { ...IN_PAIRS, env: world.env });
    for await (const { event } of run) if (event === "batch") break;
    await expect(run.summary()).rejects.toMatchObject({ code: "interrupted" });
    const kept = runsIn(join(world.home, "rec-push"));
    const [name = ""] = await readdir(kept);
    expect((await readdir(join(kept, name))).join()).toContain("input");
    await expectEnd(runProcess(["resume", "--json"], { env: world.env }), 0, '"file":"<the shop>"');
    expect([new Set(world.numbers()).size, world.numbers().length]).toEqual([40, 40]);
    expect(existsSync(join(kept, name))).toBe(false);
  });

  it("ends though the caller's stream hangs, whatever that does then", async () => {
    const world = await openWorld();
    const controller = new AbortController();
    async function* rows() {
      yield { num_commande: 1 };
      controller.abort();
      await new Promise(() => undefined);
    }
    const { error } = await endOf(
      pushInto(world.sandbox, { rows: rows() }, { env: world.env, signal: controller.signal }),
    );
    expect(error).toMatchObject({ code: "interrupted" });
    expect(world.numbers()).toEqual([]);
  });

  it("before it begins sends nothing", async () => {
    const world = await openWorld();
    const signal = AbortSignal.abort(new Error("the day is over"));
    const { error } = await endOf(pushInto(world.sandbox, world.file, { env: world.env, signal }));
    expect([error, world.numbers()]).toEqual([expect.objectContaining({ code: "interrupted" }), []]);
    expect((error as Error).cause).toEqual(new Error("the day is over"));
  });
});

it("of rows whose program is killed with -9 is resumed by the command: nothing twice, nothing lost", async () => {
  const world = await openWorld(["latency=30"]);
  const script = await makeFile(
    "push.mjs",
    `import { push } from ${JSON.stringify(LIBRARY)};
    const rows = Array.from({ length: 40 }, (_, at) => ({ num_commande: 1000 + at }));
    let batches = 0;
    for await (const { event } of push({ rows }, { table: "commandes", batchSize: 2, concurrency: 4 }))
      if (event === "batch" && ++batches === 3) process.kill(process.pid, "SIGKILL");`,
  );
  const child = spawn(process.execPath, [script], { env: { PATH: process.env["PATH"], ...world.env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await new Promise((resolve) => child.on("close", (_, by) => resolve(by)))).toBe("SIGKILL");
  const { stdout } = await runProcess(["resume", "--json"], { env: world.env });
  const last = stdout.trim().split("\n").at(-1) ?? "";
  const { accepted, inDoubt } = JSON.parse(last) as { accepted: number; inDoubt: number };
  // Records that were in flight are never sent again unasked, whether applied or not.
  expect(accepted + inDoubt).toBe(40);
  expect(new Set(world.numbers()).size).toBe(world.numbers().length);
  expect(world.numbers().length).toBeGreaterThanOrEqual(accepted);
});

describe("pushes in one process", () => {
  it("at once to several tables are each as if alone", async () => {
    const sandbox = await openSandbox({ faults: ["latency=5"] });
    const env = makeEnv();
    const tables = ["a", "b", "c", "d"];
    const ends = await Promise.all(
      tables.map((table, at) => {
        const rows = Array.from({ length: 50 }, (_, row) => ({ num_commande: 100 * at + row }));
        const run = pushInto(
          sandbox,
          { rows, name: table },
          { env, table, batchSize: 5, rate: at === 0 ? 50 : 1000 },
        );
        return endOf(run);
      }),
    );
    for (const [at, { events, error }] of ends.entries()) {
      expect(error).toBeUndefined();
      expect(events.at(-1)).toMatchObject({ event: "summary", accepted: 50 });
      const files = new Set(events.flatMap((event) => ("file" in event ? [event.file] : [])));
      expect([...files]).toEqual([`<${tables[at]}>`]);
      const held = sandbox.store.snapshot(tables[at]!).map((fiche) => Number(fiche["num_commande"]));
      expect(held.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, row) => 100 * at + row));
    }
  });

  it("at once to one table wait for each other, or say that the table is in use", async () => {
    const { sandbox, env, file } = await openWorld([]);
    let isHeldUp = (): void => undefined;
    let goOn = (): void => undefined;
    const begun = new Promise<void>((resolve) => (isHeldUp = resolve));
    const held = new Promise<void>((resolve) => (goOn = resolve));
    async function* rows() {
      yield { num_commande: 1 };
      isHeldUp();
      await held;
    }
    const first = pushInto(sandbox, { rows: rows() }, { env }).summary();
    await begun;
    const { error } = await endOf(pushInto(sandbox, file, { env }));
    expect(error).toMatchObject({ code: "table-in-use", summary: { exitCode: 9 } });
    const second = pushInto(sandbox, file, { env, waitLock: "60s" }).summary();
    goOn();
    expect([(await first).accepted, (await second).accepted]).toEqual([1, 40]);
  });

  it("one after the other with one signal leave no listener, and are each told of an abort", async () => {
    const { sandbox, env } = await openWorld([]);
    const controller = new AbortController();
    const { signal } = controller;
    for (let number = 0; number < 3; number++) {
      const rows = [{ num_commande: number }];
      await pushInto(sandbox, { rows }, { env, signal }).summary();
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
    controller.abort();
    const { error } = await endOf(pushInto(sandbox, { rows: [{ num_commande: 9 }] }, { env, signal }));
    expect(error).toMatchObject({ code: "interrupted" });
  });
});

it("nothing is written, no handler is left, no code is set, and the process ends by itself", async () => {
  const world = await openWorld([]);
  const refused = await makeFile("bad.csv", "num_commande;date_billed\n1;31/02/2024\n");
  const code = `
    const names = ["SIGINT", "SIGTERM", "SIGHUP", "exit", "beforeExit", "uncaughtException", "unhandledRejection", "warning"];
    const count = () => [
      ...names.map((name) => process.listenerCount(name)),
      ...["stdin", "stdout", "stderr"].map((name) => process[name].listenerCount("error")),
    ].join();
    const before = count();
    const { push, check } = await import(${JSON.stringify(LIBRARY)});
    const options = { table: "commandes", otherColumns: "send" };
    const end = (run) => run.summary().then(() => "ok", (error) => error.code);
    const codes = [
      await end(push(${JSON.stringify(world.file)}, options)),
      await end(check(${JSON.stringify(world.file)})),
      await end(push(${JSON.stringify(refused)}, options)),
      await end(push("missing.csv", options)),
      await end(push(${JSON.stringify(world.file)}, { batchSize: -1 })),
      await end(push({ rows: [{ num_commande: 5 }] }, { ...options, sandbox: true })),
    ];
    process.send({ codes, isUntouched: count() === before, exitCode: process.exitCode ?? null });
    process.disconnect();`;
  const script = await makeFile("quiet.mjs", code);
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env["PATH"], GITHUB_ACTIONS: "true", FORCE_COLOR: "1", ...world.env },
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    cwd: await makeDirectory(),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (text: Buffer) => (output += text));
  let message: unknown;
  child.on("message", (told) => (message = told));
  const exit = await new Promise((resolve) => child.on("close", resolve));
  expect(output).toBe("");
  expect(message).toEqual({
    codes: ["ok", "ok", "invalid-rows", "missing-file", "bad-option-value", "ok"],
    isUntouched: true,
    exitCode: null,
  });
  expect(exit).toBe(0);
});

describe("a reader that is slower than the push", () => {
  it("is waited for, until it reads, leaves, or asks for the summary", async () => {
    const summary = { event: "summary" } as SummaryEvent;
    for (const [act, expected] of [
      [() => undefined, "waits"],
      [(events) => void events.next(), "goes on"],
      [(events) => void events.return?.(), "goes on"],
      [(_, run) => void run.summary(), "goes on"],
      [(_, __, controller) => controller.abort(), "goes on"],
    ] satisfies readonly [Act, string][]) {
      let state = "begins";
      const controller = new AbortController();
      const run = makeRun(async ({ add, caughtUp }) => {
        expect(caughtUp()).toBeUndefined();
        for (let number = 0; number < 1001; number++) add({ event: "notice" } as PushEvent);
        state = "waits";
        await caughtUp();
        state = "goes on";
        return summary;
      }, controller.signal);
      const events = run[Symbol.asyncIterator]();
      await events.next();
      await sleep(5);
      expect(state).toBe("waits");
      act(events, run, controller);
      await sleep(5);
      expect(state).toBe(expected);
    }
  });

  it("gets every event in order, and the push sends no further meanwhile", async () => {
    const sandbox = await openSandbox();
    const rows = Array.from({ length: 1200 }, (_, at) => ({ cle: `k${at}`, num_commande: at }));
    const run = pushInto(sandbox, { rows }, { batchSize: 1, concurrency: 1 });
    const sent = (): number => sandbox.requests().requests;
    let batches = 0;
    for await (const event of run) {
      if (event.event !== "batch") continue;
      batches += 1;
      expect(event.batch).toBe(batches);
      if (batches !== 10) continue;
      for (let before = 0; before !== sent(); await sleep(200)) before = sent();
      // The rows that wait for the reader, and a few in flight.
      expect(sent()).toBeLessThan(1100);
    }
    expect(batches).toBe(1200);
  });

  it("of events cannot be a second one", async () => {
    const { sandbox, env } = await openWorld([]);
    const run = pushInto(sandbox, { rows: [{ num_commande: 1 }] }, { env });
    await run.summary();
    await expect(endOf(run)).resolves.toMatchObject({ error: expect.any(TypeError) });
  });
});
