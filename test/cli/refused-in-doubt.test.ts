import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const ROWS = ["num_commande,note", "1,a", "2,b", "3,BAD", "4,d", ""].join("\n");

/** Three creates in doubt, because the service refused the request that held them. */
async function openRefused() {
  const world = await openWorld(["status=400,match=BAD"]);
  const file = await makeFile("orders.csv", ROWS);
  const argv = [file, "-t", "commandes", "--type", "note=text", "--batch-size", "3", "--concurrency", "1"];
  const first = await world.command(argv);
  expect(first.code).toBe(8);
  return { ...world, argv, first, shown: (await world.command(["runs"])).stdout };
}

/** The command of the step that begins so. */
function commandIn(text: string, beginning: string): string[] {
  const line = text.split("\n").find((one) => one.includes(beginning));
  return splitWords(/.*(rec-push resume .*)$/.exec(line ?? "")?.[1] ?? "").slice(1);
}

describe.each(["the push", "rec-push runs", "the same command again"])(
  "%s says of a refused request",
  (where) => {
    it.each(["if they are not", "if only some are there"])("how to find the bad record, %s", async (step) => {
      const { command, argv, first, shown, numbers } = await openRefused();
      const again = where === "the same command again" ? (await command(argv)).stdout : "";
      const text = { "the push": first.stdout, "rec-push runs": shown }[where] ?? again;
      let ended = await command(commandIn(text, step));
      // Nothing was deleted, as none of them is there: the refusal leads on.
      if (ended.code === 2) ended = await command(commandIn(ended.stderr, "none of them is there"));
      // A whole file was only written: it says so, and the other answer stays.
      if (ended.code === 8) ended = await command(commandIn(ended.stdout, "if they are not"));
      const { code, stdout } = ended;
      expect(stdout).toContain("1 refused");
      expect(code).toBe(4);
      expect(new Set(numbers())).toEqual(new Set(["1", "2", "4"]));
      expect(numbers()).toHaveLength(3);
    });
  },
);
