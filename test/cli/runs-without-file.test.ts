import { readFile, rm, utimes, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const creates = (count: number): string =>
  ["num_commande", ...Array.from({ length: count }, (_, at) => 1000 + at), ""].join("\n");

/** A run that has sent one of six rows. */
async function openUnfinished(faults: readonly string[] = ["status=401,skip=1"]) {
  const world = await openWorld(faults);
  const file = await makeFile("orders.csv", creates(6));
  await world.command([file, "-t", "commandes", "--batch-size", "2", "--concurrency", "1", "--retries", "0"]);
  world.sandbox.setFaults([]);
  const [run = ""] = await world.runs();
  return { ...world, file, run, shown: async () => (await world.command(["runs"])).stdout };
}

describe("the next step for a run whose file is needed", () => {
  it("is to bring the file back where it has changed or is gone", async () => {
    const { command, file, run, shown, numbers } = await openUnfinished();
    const before = await readFile(file);
    expect(await shown()).toContain(`Next: rec-push resume ${run} sends the rest`);
    await writeFile(file, creates(7));
    expect(await shown()).toContain(
      `has changed since: bring it back as it was, then rec-push resume ${run} sends the rest`,
    );
    await rm(file);
    expect(await shown()).toContain("is gone: bring it back as it was");
    await writeFile(file, before);
    expect(await shown()).toContain(`Next: rec-push resume ${run} sends the rest`);
    expect((await command(["resume", run])).code).toBe(0);
    expect(numbers()).toHaveLength(6);
  });

  it("does not offer to send what is in doubt from a file that has changed", async () => {
    const { command, file, run, shown, numbers } = await openUnfinished(["drop=before,skip=1,times=1"]);
    await writeFile(file, creates(7));
    const steps = await shown();
    expect(steps).toMatch(
      new RegExp(`rec-push resume ${run} --in-doubt [0-9a-f]{8}=absent, then push a file that holds them`),
    );
    expect(steps).not.toContain("resend");
    expect((await command(await decisionOn(command, "absent", run))).code).toBe(0);
    expect(
      (await command([file, "-t", "commandes", "--exports", "full", "--identify-by", "record"])).code,
    ).toBe(0);
    expect(new Set(numbers()).size).toBe(7);
    expect(numbers()).toHaveLength(7);
  });

  it("is a plain resume for a file that was only touched", async () => {
    const { file, run, shown } = await openUnfinished();
    const later = new Date(Date.now() + 60_000);
    await utimes(file, later, later);
    expect(await shown()).toContain(`Next: rec-push resume ${run} sends the rest`);
  });
});

it("a run with rows that were said to be absent goes on to name them", async () => {
  const { command, file, run, shown, numbers } = await openUnfinished([
    "drop=before,skip=1,times=1",
    "status=401,skip=1",
  ]);
  expect((await command(await decisionOn(command, "absent", run))).code).toBe(0);
  expect(await shown()).toMatch(
    /Next: push \S+ again, unless that was done since: it creates the 1 row that was said/,
  );
  expect(
    (await command([file, "-t", "commandes", "--exports", "full", "--identify-by", "record"])).code,
  ).toBe(0);
  expect(new Set(numbers()).size).toBe(6);
  expect(numbers()).toHaveLength(6);
});
