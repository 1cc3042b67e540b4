import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { stepLines } from "../support/steps.ts";
import { makeFile } from "../support/temp-files.ts";

const csv = (numbers: readonly number[]): string => `num_commande\n${numbers.join("\n")}\n`;
const sorted = (numbers: readonly (string | undefined)[]) =>
  numbers.toSorted((a = "", b = "") => a.localeCompare(b));
const stepsOf = (stdout: string): readonly string[] => {
  const summary = stdout.split("\n").find((line) => line.includes('"event":"summary"')) ?? "{}";
  return stepLines((JSON.parse(summary) as Record<string, unknown>)["next"]);
};
const wordsOf = (next: readonly string[], start: string): readonly string[] =>
  next
    .find((step) => step.startsWith(start))
    ?.replace(/^.*: rec-push /, "")
    .split(" ") ?? [];

it("the steps for doubt name the run of the file that has it, whatever file came last", async () => {
  const { sandbox, command, numbers } = await openWorld(["drop=after,kind=create,times=1"]);
  const [one, two] = [await makeFile("one.csv", csv([1, 2])), await makeFile("two.csv", csv([3, 4]))];
  const pushed = await command([one, two, "-t", "commandes", "--json"]);
  expect(pushed.code).toBe(8);
  sandbox.setFaults([]);
  const next = stepsOf(pushed.stdout);
  expect((await command(wordsOf(next, "if they are there"))).code).toBe(0);
  expect((await command([one, two, "-t", "commandes"])).code).toBe(0);
  expect(sorted(numbers())).toEqual(["1", "2", "3", "4"]);
});

it("files that were not sent because of doubt before them are sent by the same command again, as it says", async () => {
  const { sandbox, command, numbers } = await openWorld([
    "drop=before,kind=create,times=1",
    "status=401,skip=1",
  ]);
  const [one, two] = [await makeFile("one.csv", csv([1, 2])), await makeFile("two.csv", csv([3, 4]))];
  const pushed = await command([one, two, "-t", "commandes", "--json"]);
  expect(pushed.code).toBe(8);
  sandbox.setFaults([]);
  const next = stepsOf(pushed.stdout);
  expect(next).toContain("then run the same command again, which sends the rest");
  expect((await command(wordsOf(next, "if they are not"))).code).toBe(0);
  expect((await command([one, two, "-t", "commandes"])).code).toBe(0);
  expect(sorted(numbers())).toEqual(["1", "2", "3", "4"]);
});
