import { stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RecPushError } from "../../src/model/failure.ts";
import { type JournalEntry, JournalWriter, readJournal } from "../../src/store/journal.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { BEGIN, END, heldWith, intent, outcome } from "./run-facts.ts";

const ENTRIES: readonly JournalEntry[] = [BEGIN, intent(0, 4), outcome("create", "accepted", [0, 4]), END];

async function writeJournal(entries = ENTRIES): Promise<string> {
  const directory = await makeDirectory();
  const path = join(directory, "journal");
  const writer = await JournalWriter.create(path, heldWith(1));
  for (const entry of entries) writer.append(entry);
  await writer.sync();
  await writer.close();
  return path;
}

async function read(path: string) {
  const entries: JournalEntry[] = [];
  const end = await readJournal(path, (entry) => entries.push(entry));
  return { entries, end };
}

describe("a journal", () => {
  it("gives back what was appended, in the order of appending, and is private", async () => {
    const path = await writeJournal();
    expect((await read(path)).entries).toEqual(ENTRIES);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("continues after what a crash cut off", async () => {
    const path = await writeJournal();
    await truncate(path, (await stat(path)).size - 3);
    const writer = await JournalWriter.reopen(path, (await read(path)).end, heldWith(2));
    writer.append(BEGIN);
    await writer.close();
    expect((await read(path)).entries).toEqual([...ENTRIES.slice(0, -1), BEGIN]);
  });

  it("takes nothing from a process that has lost the table's lock", async () => {
    const path = await writeJournal();
    const lost = new RecPushError("lock-lost", "lost");
    const checkAfterGap = () => {
      throw lost;
    };
    const writer = await JournalWriter.reopen(path, (await read(path)).end, {
      ...heldWith(2),
      checkAfterGap,
    });
    expect(() => writer.append(BEGIN)).toThrow(lost);
    expect((await read(path)).entries).toEqual(ENTRIES);
    const check = () => Promise.reject(lost);
    await expect(
      JournalWriter.reopen(path, { bytes: 5, number: 0, sum: 0 }, { ...heldWith(2), check }),
    ).rejects.toBe(lost);
    expect((await read(path)).entries).toEqual(ENTRIES);
  });

  it("is out of reach of a process that was paused once its successor goes on with it", async () => {
    const path = await writeJournal();
    const paused = await JournalWriter.reopen(path, (await read(path)).end, heldWith(2));
    const successor = await JournalWriter.reopen(path, (await read(path)).end, heldWith(3));
    paused.append(BEGIN);
    successor.append(BEGIN);
    paused.append(intent(5, 9));
    expect((await read(path)).entries).toEqual([...ENTRIES, BEGIN]);
  });

  it("that cannot be written fails, and takes nothing more", async () => {
    const writer = await JournalWriter.create(join(await makeDirectory(), "journal"), heldWith(1));
    await writer.close();
    for (let times = 0; times < 2; times++)
      expect(() => writer.append(BEGIN)).toThrow("the journal cannot be written");
    await expect(writer.sync()).rejects.toMatchObject({ code: "cannot-write-journal" });
  });
});
