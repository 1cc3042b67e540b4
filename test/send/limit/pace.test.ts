import { describe, expect, it } from "vitest";
import { AnnouncedLimit } from "../../../src/send/limit/told-limit.ts";
import { Pace } from "../../../src/send/traffic.ts";
import { createFastClock } from "../support/fast-clock.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const never = new AbortController().signal;

describe("Pace", () => {
  it("spaces requests evenly, also those that ask together", async () => {
    const clock = createFastClock(0);
    const pace = new Pace(clock, 4);
    const left: number[] = [];
    await pace.turn(never).then(() => left.push(clock.now()));
    await pace.turn(never).then(() => left.push(clock.now()));
    await pace.turn(never).then(() => left.push(clock.now()));
    expect(left).toEqual([0, 250, 500]);
  });

  it("does not make up for idle time with a burst", async () => {
    const clock = createFastClock(0);
    const pace = new Pace(clock, 1);
    await pace.turn(never);
    await clock.sleep(10_000, never);
    await pace.turn(never);
    await pace.turn(never);
    expect(clock.now()).toBe(11_000);
  });

  it("counts pauses that overlap once", () => {
    const pace = new Pace(createFastClock(0), undefined);
    expect([pace.pause(1000), pace.pause(1000), pace.pause(400), pace.pause(1500)]).toEqual([
      1000, 0, 0, 500,
    ]);
  });

  it("lets requests leave in the order of asking, and no burst after a pause", async () => {
    const clock = new VirtualClock();
    const pace = new Pace(clock, 10);
    const left: string[] = [];
    const turns = ["a", "b", "c", "d"].map((name) =>
      pace.turn(never).then(() => left.push(`${name} ${clock.now()}`)),
    );
    pace.pause(1000);
    await clock.run(Promise.all(turns));
    expect(left).toEqual(["a 1000", "b 1100", "c 1200", "d 1300"]);
  });

  it("makes up for a timer that fires late, and for no more than half of the gap", async () => {
    const clock = new VirtualClock();
    const lateMs = [5, 80, 0, 0];
    const late = {
      now: () => clock.now(),
      sleep: (ms: number, signal: AbortSignal) => clock.sleep(ms + (lateMs.shift() ?? 0), signal),
    };
    const pace = new Pace(late, 10);
    const left: number[] = [];
    const turns = Array.from({ length: 5 }, () => pace.turn(never).then(() => left.push(clock.now())));
    await clock.run(Promise.all(turns));
    expect(left).toEqual([0, 105, 280, 330, 430]);
  });

  it("sends at once what waited for less than is allowed by now", async () => {
    const clock = new VirtualClock();
    const told = new AnnouncedLimit();
    const pace = new Pace(clock, undefined, undefined, told);
    const tell = (left: number): void => {
      const now = clock.now();
      told.ended([{ left, resetMs: 10_000 }], now, now);
      pace.recheck();
    };
    await clock.run(pace.turn(never));
    tell(0);
    const second = pace.turn(never).then(() => clock.now());
    await clock.run(clock.sleep(100));
    told.leaving();
    tell(9);
    expect(await clock.run(second)).toBe(100);
  });
});
