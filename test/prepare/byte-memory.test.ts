import { describe, expect, it } from "vitest";
import { ByteMemory } from "../../src/prepare/packed-chunk.ts";

describe("ByteMemory", () => {
  it("is given again only once it was given back, and only where a body fits", () => {
    const memory = new ByteMemory();
    const first = memory.allocate(1000);
    expect(first.length).toBe(1000);
    expect(memory.allocate(1000).buffer).not.toBe(first.buffer);
    memory.giveBack(first);
    const again = memory.allocate(1200);
    expect(again.length).toBe(1200);
    expect(again.buffer).toBe(first.buffer);
    memory.giveBack(again);
    expect(memory.allocate(1_000_000).length).toBe(1_000_000);
  });
});
