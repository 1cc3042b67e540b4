import { expect, it } from "vitest";
import { atLeast, atMost, fastest, figure, median, type Result, showTargets } from "./result.ts";

it("says of each target whether it holds, and which was not measured", () => {
  const results = new Map(
    (
      [
        ["own", 2, 1],
        ["slow", 9, 6],
        ["slower", 10, 5],
      ] as const
    ).map(([who, seconds, cpuSeconds]): [string, Result] => [who, { who, seconds, cpuSeconds, peakMb: 201 }]),
  );
  const targets = [
    atLeast(4.6, "fast", fastest(["slower", "slow", "none"]), figure("own")),
    atLeast(4.5, "fast enough", figure("slow"), figure("own")),
    atMost(200, "small", figure("own", "peakMb")),
    atMost(2, "beside another", figure("own"), figure("none")),
  ];
  const cells = showTargets(targets.map((target) => [target, results] as const)).split("\n");
  expect(
    cells.slice(2).map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim())
        .slice(1, -1),
    ),
  ).toEqual([
    ["fast", "4.50", "5.00", "at least 4.6", "NO"],
    ["fast enough", "4.50", "6.00", "at least 4.5", "yes"],
    ["small", "201.00", "", "at most 200", "NO"],
    ["beside another", "", "", "at most 2", "not measured"],
  ]);
  expect([median([9, 1, 10]), median([4, 1, 3, 2]), median([1, undefined])]).toEqual([9, 2.5, undefined]);
});
