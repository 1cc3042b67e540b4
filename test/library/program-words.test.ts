import { describe, expect, it } from "vitest";
import { inProgramWords } from "../../src/library/program-words.ts";
import { makeFile } from "../support/temp-files.ts";
import { endOf, openRecorder, pushInto } from "./support.ts";

describe("hints in the words of a program", () => {
  it.each([
    [
      "mend them, or leave them out with --on-invalid skip",
      "mend them, or leave them out with onInvalid skip",
    ],
    ['--map "Order No=num_commande" --drop x', 'map "Order No=num_commande" drop x'],
    ["--no-header, or --header-line 3", "header: false, or headerLine 3"],
    ["--again creates them all the same", "again: true creates them all the same"],
    ["--nosuch x stays, as does --quiet", "--nosuch x stays, as does --quiet"],
    ["rec-push init a.csv --table t --yes", "rec-push init a.csv --table t --yes"],
  ])("%s", (hint, words) => expect(inProgramWords(hint)).toBe(words));

  it("are in the error, in the events and in the steps of the summary; the error has the first invalid row's place", async () => {
    const file = await makeFile("a.csv", "cle,date_billed\nA1,2016-07-13\nA2,soon\n");
    const { events, error } = await endOf(pushInto(await openRecorder(), file));
    const hint = expect.stringContaining("onInvalid skip") as string;
    expect(error).toMatchObject({ code: "invalid-rows", hint, place: { file, line: 3, column: 2 } });
    expect(events.find(({ event }) => event === "error")).toMatchObject({ hint });
    expect(events.at(-1)).toMatchObject({ next: [{ why: hint }] });
  });
});
