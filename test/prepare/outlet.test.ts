import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PackedChunk } from "../../src/prepare/leave-totals-out.ts";
import { type FromThread, Outlet } from "../../src/prepare/thread/outlet.ts";
import { makeDirectory } from "../support/temp-files.ts";

const STEP = 65_536;
const layout = { records: 0, keyBytes: 0, hasWideKeys: false, otherBytes: 0, updateBytes: 0, textBytes: 5 };

async function openOutlet(maxBytes: number) {
  const file = await open(join(await makeDirectory(), "records"), "w+");
  onTestFinished(() => file.close());
  const said: FromThread[] = [];
  const outlet = new Outlet({ fd: file.fd, from: 0, maxBytes }, (message) => said.push(message));
  const put = (text: string): Promise<void> => {
    const bytes = outlet.allocate(text.length);
    bytes.write(text);
    const chunk: PackedChunk = { layout, bytes };
    return outlet.put(chunk);
  };
  /** What can be read now of each chunk that was said to be kept or handed over. */
  const shown = async (): Promise<string[]> =>
    Promise.all(
      said.map(async (message) => {
        if (message.kind === "handed") return `handed ${Buffer.from(message.bytes).toString()}`;
        if (message.kind !== "kept") return message.kind;
        const { buffer } = await file.read(Buffer.alloc(message.end - message.at), 0, undefined, message.at);
        return `kept ${buffer.toString()}`;
      }),
    );
  return { outlet, put, shown };
}

describe("what a thread does with the chunks it has made", () => {
  it("keeps them, waits where the file is full, and goes on where chunks were freed", async () => {
    const { outlet, put, shown } = await openOutlet(2 * STEP);
    await put("one..");
    await put("two..");
    const third = put("three");
    expect(await shown()).toEqual(["kept one..", "kept two..", "full"]);
    outlet.free([STEP]);
    await third;
    expect((await shown()).slice(3)).toEqual(["kept three"]);
    expect((await shown())[0]).toBe("kept one..");
  });

  it("hands over what it could not keep, and all that follow, once one is asked for", async () => {
    const { outlet, put, shown } = await openOutlet(STEP);
    await put("one..");
    const second = put("two..");
    outlet.ask();
    await second;
    outlet.free([0]);
    const third = put("three");
    expect((await shown()).slice(1)).toEqual(["full", "handed two.."]);
    outlet.ask();
    await third;
    expect((await shown()).slice(3)).toEqual(["handed three"]);
  });

  it("keeps nothing more after the first that is asked for, though there is room", async () => {
    const { outlet, put, shown } = await openOutlet(9 * STEP);
    await put("one..");
    outlet.ask();
    await put("two..");
    expect((await shown()).filter((what) => what !== "full")).toEqual(["kept one..", "handed two.."]);
  });

  it("makes chunks that it hands over in the memory of others that came back", async () => {
    const { outlet, put, shown } = await openOutlet(STEP);
    for (const text of ["one..", "two..", "three"]) {
      outlet.ask();
      await put(text);
    }
    const back = new ArrayBuffer(STEP);
    outlet.takeBack(back);
    const [first, second] = [outlet.allocate(5), outlet.allocate(5)];
    expect([first.buffer === back, second.buffer === back]).toEqual([true, false]);
    expect([first.byteOffset, first.length]).toEqual([0, 5]);
    expect((await shown()).filter((what) => what !== "full")).toEqual([
      "handed one..",
      "handed two..",
      "handed three",
    ]);
  });

  it("hands over where the file cannot be written", async () => {
    const said: FromThread[] = [];
    const outlet = new Outlet({ fd: 999_999, from: 0, maxBytes: STEP }, (message) => said.push(message));
    outlet.ask();
    await outlet.put({ layout, bytes: Buffer.from("one..") });
    expect(said.map(({ kind }) => kind)).toEqual(["full", "handed"]);
  });
});
