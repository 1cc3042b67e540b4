import { describe, expect, it } from "vitest";
import { onAbort } from "../../src/send/exchange.ts";

describe("a signal that many requests listen to", () => {
  it("calls each once, in their order, and none that was taken back", () => {
    const { signal, abort } = controller();
    const called: string[] = [];
    onAbort(signal, () => called.push("first"));
    const takeBack = onAbort(signal, () => called.push("second"));
    onAbort(signal, () => called.push("third"));
    takeBack();
    abort();
    abort();
    expect(called).toEqual(["first", "third"]);
  });

  it("calls those that take themselves back when they are called", () => {
    const { signal, abort } = controller();
    let called = 0;
    for (let request = 0; request < 3; request++) {
      const takeBack = onAbort(signal, () => {
        called += 1;
        takeBack();
      });
    }
    abort();
    expect(called).toBe(3);
  });

  it("calls none that another one takes back when it is called", () => {
    const { signal, abort } = controller();
    const called: string[] = [];
    onAbort(signal, () => {
      called.push("first");
      takeBack();
    });
    const takeBack = onAbort(signal, () => called.push("second"));
    onAbort(signal, () => called.push("third"));
    abort();
    expect(called).toEqual(["first", "third"]);
  });

  it("is apart from other signals", () => {
    const [one, other] = [controller(), controller()];
    let called = 0;
    onAbort(one.signal, () => (called += 1));
    other.abort();
    expect(called).toBe(0);
  });
});

function controller(): { signal: AbortSignal; abort: () => void } {
  const made = new AbortController();
  return { signal: made.signal, abort: () => made.abort() };
}
