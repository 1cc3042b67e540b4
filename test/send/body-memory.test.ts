import { describe, expect, it } from "vitest";
import { ByteMemory } from "../../src/model/byte-memory.ts";
import { updates } from "./support/records.ts";
import { simulate } from "./support/simulate.ts";
import type { Arrival, Reaction } from "./support/simulated-service.ts";

describe("the memory of bodies", () => {
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

  /** What each request was to send, and what its memory holds at the end of the push. */
  async function push(react: (arrival: Arrival) => Reaction) {
    const requests: { readonly body: Buffer; readonly sent: string; readonly isWritten: boolean }[] = [];
    const { outcomes } = await simulate(
      60,
      () => (arrival) => {
        const reaction = react(arrival);
        const { body } = arrival;
        requests.push({ body, sent: body.toString(), isWritten: reaction.isWritten === true });
        return reaction;
      },
      { concurrency: 4, batchSize: 5, records: updates(300) },
    );
    expect(outcomes).toEqual(Array.from({ length: 60 }, () => "accepted"));
    return { requests, memories: new Set(requests.map(({ body }) => body.buffer)).size };
  }

  it("is used again where requests have left the process", async () => {
    const { requests, memories } = await push(() => ({ ms: 50, isWritten: true }));
    expect(requests).toHaveLength(60);
    expect(memories).toBeLessThanOrEqual(4);
    expect(new Set(requests.map(({ sent }) => sent)).size).toBe(60);
  });

  it("is not touched where a socket may still have to write it, though the answer came", async () => {
    const { requests } = await push(({ number }) => ({ ms: 50, isWritten: number % 3 === 0 }));
    const unwritten = requests.filter(({ isWritten }) => !isWritten);
    expect(unwritten).toHaveLength(40);
    expect(unwritten.map(({ body }) => body.toString())).toEqual(unwritten.map(({ sent }) => sent));
  });

  it("is not touched where an earlier try of the same body may still be in a socket", async () => {
    const tried = new Set<string>();
    const { requests } = await push(({ body }) => {
      const isFirst = !tried.has(body.toString());
      tried.add(body.toString());
      return isFirst ? { ms: 50, status: 503 } : { ms: 50, isWritten: true };
    });
    expect(requests).toHaveLength(120);
    expect(requests.map(({ body }) => body.toString())).toEqual(requests.map(({ sent }) => sent));
  });
});
