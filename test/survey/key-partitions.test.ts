import { expect, it } from "vitest";
import { KeyPartitions } from "../../src/survey/repeated-keys.ts";
import { makeDirectory } from "../support/temp-files.ts";

it("does not hold long keys in memory until there are many", async () => {
  const partitions = new KeyPartitions(await makeDirectory(), { groupRows: 1000, bufferBytes: 1000 });
  partitions.add("short", 2, 20);
  expect(partitions.numbers).toEqual([]);
  partitions.add("x".repeat(20_000), 3, 40);
  expect(partitions.numbers).toHaveLength(1);
  await partitions.remove();
});
