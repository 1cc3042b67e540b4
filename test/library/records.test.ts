import { createReadStream } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openInput } from "../../src/library/begin-command.ts";
import { push, PushError, type PushEvent, type PushOptions } from "../../src/library/index.ts";
import { fixture } from "../support/fixture.ts";
import { runProcess } from "../support/run-process.ts";
import { mixed, numbers, openShardWorld, sentNumbers } from "../support/shard-world.ts";
import { makeFile } from "../support/temp-files.ts";
import { endOf, makeEnv, openRecorder, pushInto } from "./support.ts";

const FILE = fixture("csv/orders-excel-fr.csv");

/** An event without what differs between two pushes of one file. */
function withoutTimes(event: object): object {
  const ofOne = new Set(["run", "runs", "url", "time", "ms", "next"]);
  const same = Object.entries(event).filter(([name]) => !ofOne.has(name));
  // A notice names the directory with the runs; a program gives its service as a word, the command by a variable.
  const text = JSON.stringify(Object.fromEntries(same)).replace(/rec-push-state-\w+| --url \S+/g, "");
  return JSON.parse(text) as object;
}

describe("a push by a program", () => {
  it("sends what the command sends, and tells the events of --json", async () => {
    const ofCommand = await openRecorder();
    const ofProgram = await openRecorder();
    const env = { ...makeEnv(), REC_PUSH_URL: ofCommand.url, REC_PUSH_TOKEN: ofCommand.token };
    const { stdout, code } = await runProcess([FILE, "-t", "commandes", "--json"], { env });
    const { events, error } = await endOf(pushInto(ofProgram, FILE));
    expect([code, error]).toEqual([0, undefined]);
    expect(ofCommand.bodies).toHaveLength(3);
    expect(ofProgram.bodies.toSorted()).toEqual(ofCommand.bodies.toSorted());
    const told = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as PushEvent);
    expect(told.at(-1)).toMatchObject({ event: "summary", accepted: 7 });
    // Which of two batches on their way ends first is open.
    const inOrder = (all: readonly PushEvent[]): readonly unknown[] =>
      all
        .map(withoutTimes)
        .map((event) => JSON.stringify(event))
        .toSorted((a, b) => a.localeCompare(b));
    expect(inOrder(events)).toEqual(inOrder(told));
  });

  it("sends the same from a file, a URL, a stream, a web stream, bytes and text", async () => {
    const whole = await readFile(FILE);
    const inputs = [
      FILE,
      [new URL(`file://${FILE}`)],
      { bytes: createReadStream(FILE, { highWaterMark: 7 }) },
      { bytes: new Blob([whole]).stream() as ReadableStream<Uint8Array> },
      { bytes: whole },
    ];
    const sent = [];
    for (const input of inputs) {
      const recorder = await openRecorder();
      await pushInto(recorder, input).summary();
      sent.push(recorder.bodies.toSorted());
    }
    expect(sent[0]?.join("")).toContain("2016-07-13");
    for (const bodies of sent) expect(bodies).toEqual(sent[0]);
  });

  it("throws the error of a stream that fails before it is read, not into the program", async () => {
    const run = pushInto(await openRecorder(), { bytes: createReadStream("/nowhere/orders.csv") });
    await sleep(20);
    const { error } = await endOf(run);
    expect(error).toMatchObject({
      code: "not-readable",
      message: expect.stringContaining("ENOENT") as string,
    });
  });

  it("takes text in pieces that end anywhere between two characters", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.array(fc.nat(6)), async (text, cuts) => {
        const characters = Array.from(text);
        const pieces = cuts.map((cut) => characters.splice(0, cut).join(""));
        pieces.push(characters.join(""));
        const chunks = [];
        const { stdin } = openInput({ bytes: pieces }, new AbortController().signal, false);
        for await (const chunk of stdin) chunks.push(chunk as Buffer);
        expect(Buffer.concat(chunks).toString()).toBe(text);
      }),
    );
  });

  it("refuses half a character", async () => {
    const recorder = await openRecorder();
    for (const bytes of [["a\n\uD83D"], ["a\n\uD83Db"], ["\uD83D", Buffer.from("a\n1")], [1, 2]]) {
      const { error } = await endOf(pushInto(recorder, { bytes: bytes as string[] }));
      expect(error).toMatchObject({ code: "bad-input", kind: "input" });
    }
    expect(recorder.bodies).toEqual([]);
  });

  it("sends objects as a JSON file of the same values is sent", async () => {
    async function* rows() {
      yield {
        cle: null,
        num_commande: 551_036,
        date_billed: new Date(Date.UTC(2016, 6, 13)),
        note: "é \u{1F600}",
      };
      await sleep(1);
      yield {
        cle: "K1",
        num_commande: 12_345_678_901_234_567_890n,
        actual_billable_amount: 437.5,
        note: undefined,
      };
    }
    const recorder = await openRecorder();
    const { events } = await endOf(pushInto(recorder, { rows: rows(), name: "the shop" }));
    expect(recorder.bodies.toSorted().map((body) => JSON.parse(body) as unknown)).toEqual([
      [{ cle: "K1", num_commande: "12345678901234567890", actual_billable_amount: "437.5" }],
      [{ num_commande: "551036", date_billed: "2016-07-13", note: "é \u{1F600}" }],
    ]);
    expect(events[0]).toMatchObject({ event: "run", files: ["<the shop>"] });
    expect(events.filter((event) => event.event === "batch").map(({ first }) => first)).toContainEqual({
      file: "<the shop>",
      line: 2,
    });
  });

  it("takes one row that holds an array for a row", async () => {
    const recorder = await openRecorder();
    const rows = [{ num_commande: 1, lines: [{ a: 1 }, { a: 2 }] }];
    await pushInto(recorder, { rows }, { drop: ["lines"] }).summary();
    expect(recorder.bodies).toEqual(['[{"num_commande":"1"}]']);
  });

  it.each([
    ["a number without its last digits", { a: 2 ** 53 }],
    ["no number", { a: Number.NaN }],
    ["a date that is none", { a: new Date("nix") }],
    ["a function", { a: () => 1 }],
    ["no object", [1]],
    ["null", null],
    ["a map", new Map([["num_commande", "5"]])],
    ["the query of a URL", new URLSearchParams({ num_commande: "5" })],
    ["an object whose members are not its own", Object.create({ num_commande: "5" })],
    [
      "what holds itself",
      (() => {
        const row: { own?: unknown } = {};
        row.own = row;
        return row;
      })(),
    ],
    ["an object that is a text", { toJSON: () => "x" }],
  ])("refuses %s and sends nothing", async (_, row) => {
    const recorder = await openRecorder();
    const rows = [{ num_commande: 1 }, row as object];
    const { error, events } = await endOf(pushInto(recorder, { rows }));
    expect(error).toMatchObject({ code: "bad-input", place: { file: "<rows>", line: 2 } });
    expect(events.at(-1)).toMatchObject({ event: "summary", exitCode: 3, accepted: 0 });
    expect(recorder.bodies).toEqual([]);
  });

  it("skips an empty object, and takes one without a prototype", async () => {
    const recorder = await openRecorder();
    const bare: Record<string, number> = Object.create(null) as Record<string, number>;
    bare["num_commande"] = 5;
    const { error, events } = await endOf(
      pushInto(recorder, { rows: [{}, Object.create(null) as object, bare] }),
    );
    expect(error).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ event: "summary", accepted: 1, skipped: 2 });
  });

  it("gives the error of the caller's stream as cause", async () => {
    const recorder = await openRecorder();
    const fault = new Error("the database has gone");
    async function* rows() {
      yield { num_commande: 1 };
      throw fault;
    }
    const { error } = await endOf(pushInto(recorder, { rows: rows() }));
    expect(error).toMatchObject({ code: "not-readable", cause: fault });
    expect((error as Error).message).toContain("the database has gone");
    async function* lines() {
      yield "num_commande\n1\n";
      throw fault;
    }
    const bytes = Readable.from(lines());
    expect((await endOf(pushInto(recorder, { bytes }))).error).toMatchObject({
      code: "not-readable",
      cause: fault,
    });
    expect(recorder.bodies).toEqual([]);
  });

  it("reads a file whose name is a dash as a file", async () => {
    const recorder = await openRecorder();
    const { error } = await endOf(pushInto(recorder, "-"));
    expect(error).toMatchObject({ code: "missing-file" });
  });
});

async function planTwo() {
  const world = await openShardWorld();
  const file = await makeFile("orders.csv", mixed(40));
  expect((await world.plan([file], 2)).code).toBe(0);
  const { out, env } = world;
  const options = (shard: string): PushOptions => ({ plan: out, shard });
  const base = { env, token: env.REC_PUSH_TOKEN };
  const pushShard = (input: Parameters<typeof push>[0], shard: string) =>
    push(input, { ...options(shard), ...base });
  return { ...world, file, pushShard };
}

describe("a shard that a program pushes", () => {
  it("is sent as by the command, without the files of its plan, and closed by the command", async () => {
    const { service, file, pushShard, runs } = await planTwo();
    await rm(file);
    const first = await pushShard([], "1/2").summary();
    expect(first).toMatchObject({ accepted: first.read, exitCode: 0 });
    const second = await pushShard([], "2/2").summary();
    expect(second).toMatchObject({ read: 40 - first.read, accepted: 40 - first.read, exitCode: 0 });
    expect(sentNumbers(service.taken)).toEqual(numbers(40));
    expect(await pushShard([], "1/2").summary()).toMatchObject({ skipped: first.read, exitCode: 0 });
    expect((await runs()).code).toBe(0);
    await expect(pushShard([], "1/2").summary()).rejects.toMatchObject({ code: "plan-closed" });
    expect(service.taken).toHaveLength(40);
  });

  it.each([
    ["rows", { rows: [{ num_commande: 1 }] }, "1/2", "wrong-usage"],
    ["a file", "orders.csv", "1/2", "wrong-usage"],
  ] as const)("is refused with %s", async (_, input, shard, code) => {
    const { service, pushShard } = await planTwo();
    const failure = await pushShard(input, shard)
      .summary()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PushError);
    expect(failure).toMatchObject({ code, summary: { exitCode: 2 } });
    expect(service.taken).toEqual([]);
  });
});
