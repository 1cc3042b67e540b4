import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spellLines } from "../../src/store/log.ts";
import { type JournalEntry, readJournal } from "../../src/store/journal.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { BEGIN, END, intent, outcome } from "./run-facts.ts";
import { atNight, draws } from "../support/draws.ts";

/** A run of two processes, the second of which was killed while a request was in flight. */
const ENTRIES: readonly JournalEntry[] = [
  BEGIN,
  { entry: "leftOut", creates: 1 },
  intent(0, 4),
  outcome("create", "accepted", [0, 4]),
  outcome("update", "refused", [0, 4]),
  END,
  BEGIN,
  outcome("update", "accepted", [5, 9]),
  intent(5, 9, 2),
];
const LINE_FEED = 0x0a;
const journal = spellLines(ENTRIES).lines;

async function read(path: string, bytes: Buffer): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  await writeFile(path, bytes);
  await readJournal(path, (entry) => entries.push(entry));
  return entries;
}

/** The entries of a journal, or the number of the line that is refused. */
async function readOrLine(path: string, bytes: Buffer): Promise<readonly JournalEntry[] | number> {
  return read(path, bytes).catch((error: { code: string; place: { line: number } }) => {
    if (error.code !== "state-damaged") throw error;
    return error.place.line;
  });
}

const linesOf = (journal: Buffer): string[] => journal.toString().split(/(?<=\n)/);

describe("a journal", () => {
  it("with any byte changed is refused, naming the line", async () => {
    const path = join(await makeDirectory(), "journal");
    const unlike: unknown[] = [];
    // From the last line feed on, which is missed otherwise.
    for (let at = journal.length - 1; at >= 0; at -= atNight ? 1 : 3) {
      const damaged = Buffer.from(journal);
      damaged[at] = damaged[at]! ^ (1 << (at % 8));
      const line = journal.subarray(0, at).toString("latin1").split("\n").length;
      const found = await readOrLine(path, damaged);
      if (found !== line) unlike.push({ at, line, found });
    }
    expect(unlike).toEqual([]);
  });

  it("cut off after any byte, or with zeros from there, as a power failure leaves them, ends with its last whole line", async () => {
    const path = join(await makeDirectory(), "journal");
    const whole = await read(path, journal);
    const unlike: unknown[] = [];
    for (let at = 1; at <= journal.length; at++) {
      if (!atNight && at % 17 > 0 && journal[at] !== LINE_FEED) continue;
      // From before the line feed too, which is then a zero.
      for (const zeros of [0, 1, 40]) {
        const left = Buffer.concat([journal.subarray(0, at), Buffer.alloc(zeros)]);
        const lines = left.toString("latin1").split("\n").length - 1;
        const found = await readOrLine(path, left);
        if (!isDeepStrictEqual(found, whole.slice(0, lines))) unlike.push({ at, zeros, found });
      }
    }
    expect(unlike).toEqual([]);
  });

  it("with a line lost, doubled, changed with another or put elsewhere is refused, unless the last one is lost", async () => {
    const path = join(await makeDirectory(), "journal");
    const whole = await read(path, journal);
    const lines = linesOf(journal);
    const at = fc.nat({ max: lines.length - 1 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("lose", "double", "swap", "move"), at, at, async (how, from, to) => {
        const changed = [...lines];
        if (how === "double") changed.splice(from, 0, lines[from]!);
        if (how === "lose" || how === "move") changed.splice(from, 1);
        if (how === "move") changed.splice(to, 0, lines[from]!);
        if (how === "swap") [changed[from], changed[to]] = [lines[to]!, lines[from]!];
        const found = await readOrLine(path, Buffer.from(changed.join("")));
        const damagedAt = changed.findIndex((line, at) => line !== lines[at]);
        const isShorter = how === "lose" && from === lines.length - 1;
        const expected = isShorter ? whole.slice(0, -1) : damagedAt === -1 ? whole : damagedAt + 1;
        expect(found).toEqual(expected);
      }),
      draws(40),
    );
  });
});
