import { readFile } from "node:fs/promises";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { ToldEvent } from "../src/model/event.ts";
import { openWorld } from "./support/open-world.ts";
import { makeFile } from "./support/temp-files.ts";

type Kind = ToldEvent["event"];
/** The fields of each event; `tsc` refuses one that its type lacks, and misses one that it has. */
const FIELDS = {
  run: "run table url files configs",
  resumed: "file run settledRows",
  survey:
    "file format encoding sheet headerLine dialect fingerprint rows updates creates skipped invalid superseded repeatedKeys repeatedKeysBounded columns notices unpinned",
  notice: "text file line drift isAlwaysShown",
  batch: "batch kind rows first last outcome status msg attempts ms",
  reject: "file line record column cell header field value reason hint",
  waiting: "ms reason isAsked",
  error: "kind code message hint file line column",
  summary:
    "run runs openRuns read accepted refused failed inDoubt rejected notSent skipped inDoubtAt batches ms exitCode reason next untoldRejects safeToRerun unpinned rejectsFiles doubtFiles stateDir",
} as const;

type Words<Text> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text;
type Listed = { readonly [Event in keyof typeof FIELDS]: Words<(typeof FIELDS)[Event]> };
type Typed = { readonly [Event in Kind]: Exclude<keyof Extract<ToldEvent, { event: Event }>, "event"> };

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
    expectTypeOf<Listed>().toEqualTypeOf<Typed>();
    const expected = Object.entries(FIELDS).map(([event, fields]) => [event, fields.split(" ").toSorted()]);
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
