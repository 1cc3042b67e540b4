import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { ToldEvent } from "../src/model/event.ts";
import { openWorld } from "./support/open-world.ts";
import { makeFile } from "./support/temp-files.ts";

type Kind = ToldEvent["event"];
/**
 * The fields of an event; `tsc` refuses one that the type lacks, and misses one that it has. `isStreamed` is only there for
 * `--no-survey`.
 */
type Fields<Event extends ToldEvent> = Readonly<Record<Exclude<keyof Event, "event" | "isStreamed">, true>>;

const FIELDS: { readonly [Name in Kind]: Fields<Extract<ToldEvent, { event: Name }>> } = {
  run: {
    run: true,
    table: true,
    url: true,
    files: true,
    configs: true,
  },
  resumed: { file: true, run: true, settledRows: true },
  survey: {
    file: true,
    format: true,
    encoding: true,
    sheet: true,
    headerLine: true,
    dialect: true,
    fingerprint: true,
    rows: true,
    updates: true,
    creates: true,
    skipped: true,
    invalid: true,
    superseded: true,
    repeatedKeys: true,
    repeatedKeysBounded: true,
    columns: true,
    notices: true,
    unpinned: true,
  },
  notice: { text: true, file: true, line: true, drift: true, isAlwaysShown: true },
  batch: {
    batch: true,
    kind: true,
    rows: true,
    first: true,
    last: true,
    outcome: true,
    status: true,
    msg: true,
    attempts: true,
    ms: true,
  },
  reject: {
    file: true,
    line: true,
    record: true,
    column: true,
    cell: true,
    header: true,
    field: true,
    value: true,
    reason: true,
    hint: true,
  },
  waiting: { ms: true, reason: true, isAsked: true },
  error: { kind: true, code: true, message: true, hint: true, file: true, line: true, column: true },
  summary: {
    run: true,
    runs: true,
    openRuns: true,
    read: true,
    accepted: true,
    refused: true,
    failed: true,
    inDoubt: true,
    rejected: true,
    notSent: true,
    skipped: true,
    inDoubtAt: true,
    batches: true,
    ms: true,
    exitCode: true,
    reason: true,
    next: true,
    untoldRejects: true,
    safeToRerun: true,
    unpinned: true,
    rejectsFiles: true,
    doubtFiles: true,
    stateDir: true,
  },
};

/** The fields that the topic names for each event. */
async function documented(): Promise<Readonly<Record<string, readonly string[]>>> {
  const topic = await readFile("src/help/events.md", "utf8");
  const items = topic.split(/^- /m).slice(1);
  return Object.fromEntries(
    items.map((item) => [
      /^\w+/.exec(item)![0],
      [...item.matchAll(/`(\w+)`/g)].map(([, field]) => field!).toSorted(),
    ]),
  );
}

describe("the topic events", () => {
  it("names every field of every event, and no other", async () => {
    const expected = Object.entries(FIELDS).map(([event, fields]) => [event, Object.keys(fields).toSorted()]);
    expect(await documented()).toEqual(Object.fromEntries(expected));
  });

  it("names what a push prints", async () => {
    const { push } = await openWorld();
    const file = await makeFile("a.csv", "cle,num_commande,date_billed\nA1,1,13/07/2016\nA2,2,31/06/2016\n");
    const { stdout } = await push([file, "--on-invalid", "skip", "--json"]);
    const known = await documented();
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const unknown = events.flatMap((event) => {
      const fields = new Set(["event", "schema", "time", ...(known[event["event"] as string] ?? [])]);
      return Object.keys(event).filter((field) => !fields.has(field));
    });
    expect(unknown).toEqual([]);
    expect(events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(["run", "survey", "reject", "batch", "summary"]),
    );
  });
});
