import { createHook } from "node:async_hooks";
import { cp, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { runProcess } from "../support/run-process.ts";
import { copyInBook, cutBook, tableIn } from "../support/table-parts.ts";
import { makeFile } from "../support/temp-files.ts";
import { expectEnd } from "../support/scenario.ts";

/** The number of file system calls during an action. */
async function countRequests(act: () => Promise<unknown>): Promise<number> {
  let requests = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === "FSREQPROMISE" || type === "FSREQCALLBACK") requests += 1;
    },
  }).enable();
  await act();
  hook.disable();
  return requests;
}

const nameRun = (number: number): string => `20261101-000000-${number.toString(16).padStart(6, "0")}`;

it("standard input is opened only if it is an input", async () => {
  const refusing = "Object.defineProperty(process,'stdin',{get(){throw(Error('opened'))}})";
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${refusing}` };
  const input = await makeFile("a.csv", "cle,num_commande\nA1,1\n");
  for (const argv of [["check", input], [input, "--table", "commandes", "--sandbox"], ["--help"]])
    expect(await runProcess(argv, { env })).toMatchObject({ code: 0 });
  await expectEnd(runProcess(["check", "-"], { env }), 3, "<stdin>: the file cannot be read: opened");
});

describe("the start of a push", () => {
  it("asks the file system as often with 300 runs kept as with 20", async () => {
    const { home, push, runs } = await openWorld();
    const pushAnother = async (number: number) =>
      push([await makeFile("a.csv", `cle,num_commande\nA1,${number}\n`)]);
    await pushAnother(0);
    const [first = ""] = await runs();
    const keep = async (from: number, to: number): Promise<void> => {
      const names = Array.from({ length: to - from }, (_, at) => nameRun(from + at));
      await copyInBook(join(home, "rec-push"), first, names);
    };
    await keep(0, 20);
    await pushAnother(1);
    const few = await countRequests(() => pushAnother(2));
    await keep(20, 300);
    const many = await countRequests(() => pushAnother(3));
    expect(many).toBe(few);
    expect(await runs()).toHaveLength(304);
  });

  it("asks the file system as often with 30 other tables as with two", async () => {
    const { home, push } = await openWorld();
    const pushAnother = async (number: number) =>
      push([await makeFile("a.csv", `cle,num_commande\nA1,${number}\n`)]);
    // More than one push looks at to prune them.
    for (let number = 0; number < 11; number++) await pushAnother(number);
    const table = await tableIn(join(home, "rec-push"));
    const keep = async (from: number, to: number): Promise<void> => {
      for (let number = from; number < to; number++) {
        const other = join(dirname(table), String(number).padStart(32, "0"));
        await cp(table, other, { recursive: true });
        // Of other runs.
        const book = await readFile(join(other, "book"), "utf8");
        await cutBook(other, 0);
        await writeFile(join(other, "book"), book.replaceAll(/"run":"\d{8}/g, '"run":"19991231'));
      }
    };
    await keep(0, 2);
    const few = await countRequests(() => pushAnother(11));
    await keep(2, 30);
    const many = await countRequests(() => pushAnother(12));
    expect(many).toBe(few);
  });
});
