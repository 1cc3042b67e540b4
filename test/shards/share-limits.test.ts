import { describe, expect, it } from "vitest";
import { shareLimits } from "../../src/cli/shards/share-limits.ts";

describe("limits for all shards together", () => {
  it.each([
    [{ rate: 8 }, 4, { rate: 2 }],
    [{ rate: 1 }, 64, { rate: 1 / 64 }],
    [{ concurrency: 9 }, 4, { concurrency: 2 }],
    [{ concurrency: { most: 9 } }, 4, { concurrency: { most: 2 } }],
    [{ concurrency: "auto" }, 64, { concurrency: "auto" }],
    [{ batchSize: 20 }, 4, { batchSize: 20 }],
  ] as const)("%j are shared by %i shards", (values, shards, shared) => {
    expect(shareLimits(values, shards)).toEqual(shared);
  });

  it.each([[{ concurrency: 3 }], [{ concurrency: { most: 3 } }]] as const)(
    "are refused if they leave a shard none: %j",
    (values) => {
      expect(() => shareLimits(values, 4)).toThrow("does not give each of 4 one request");
    },
  );
});
