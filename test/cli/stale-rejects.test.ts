import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const csv = (...rows: readonly string[]): string => ["cle;num_commande;date_billed", ...rows, ""].join("\n");
const SEMICOLON = ["--delimiter", "semicolon"];

/** A world in which a push has rejected the row of A1, whose date was mended since in the rejects file. */
async function pushWithRejects() {
  const world = await openWorld();
  const orders = await makeFile("orders.csv", csv("A1;1;32/07/2016", "A2;2;13/07/2016"));
  const words = ["--on-invalid", "skip", "--date-format", "DD/MM/YYYY"];
  expect((await world.push([orders, ...words])).code).toBe(4);
  const rejects = join(dirname(orders), "orders.rejects.csv");
  const mend = async (): Promise<void> =>
    writeFile(rejects, (await readFile(rejects, "utf8")).replace("32/07", "31/07"));
  const held = (key: string) =>
    world.sandbox.store.snapshot("commandes").find(({ cle }) => cle === key)?.["num_commande"];
  return { ...world, rejects, mend, held, pushRejects: [rejects, ...SEMICOLON] };
}

describe("mended rejects", () => {
  it("stop where a later push has sent one of their keys, unless their values are said to be right", async () => {
    const { push, mend, held, pushRejects } = await pushWithRejects();
    expect((await push([await makeFile("next.csv", csv("A1;7;14/07/2016"))])).code).toBe(0);
    await mend();
    const stopped = await push(pushRejects);
    expect(stopped.code).toBe(2);
    expect(stopped.stderr).toMatch(
      /orders\.rejects\.csv:2: a later run .* the key "A1" since; this row is of/,
    );
    expect(held("A1")).toBe("7");
    expect((await push([...pushRejects, "--stale-ok"])).code).toBe(0);
    expect(held("A1")).toBe("1");
  });

  it("stop with the lines of all such rows, and are sent without them", async () => {
    const { push, sandbox } = await openWorld();
    const rows = [
      "A1;1;32/07/2016",
      "A2;2;32/07/2016",
      "A3;3;32/07/2016",
      "A4;4;32/07/2016",
      "A5;5;13/07/2016",
    ];
    const orders = await makeFile("orders.csv", csv(...rows));
    const words = ["--on-invalid", "skip", "--date-format", "DD/MM/YYYY"];
    expect((await push([orders, ...words])).code).toBe(4);
    const later = csv("A1;7;14/07/2016", "A3;7;14/07/2016", "A4;7;14/07/2016");
    expect((await push([await makeFile("next.csv", later)])).code).toBe(0);
    const path = join(dirname(orders), "orders.rejects.csv");
    const rejects = (await readFile(path, "utf8")).replaceAll("32/07", "31/07");
    await writeFile(path, rejects);
    const { code, stderr } = await push([path, ...SEMICOLON]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'rejects.csv:2: a later run on this table has sent the key "A1" since, and those of 2 more rows (lines 4, 5); these rows are of',
    );
    const lines = rejects.split("\n");
    await writeFile(path, lines.filter((_, at) => ![2, 4, 5].includes(at + 1)).join("\n"));
    expect((await push([path, ...SEMICOLON])).code).toBe(0);
    const held = sandbox.store.snapshot("commandes").map(({ cle, num_commande }) => `${cle}=${num_commande}`);
    expect(held.toSorted()).toEqual(["A1=7", "A2=2", "A3=7", "A4=7", "A5=5"]);
  });

  it("that were pushed leave nothing to do for the run that wrote them, and no step says so", async () => {
    const { push, mend, command, runs, pushRejects } = await pushWithRejects();
    const [run = ""] = await runs();
    await mend();
    expect((await push(pushRejects)).code).toBe(0);
    const { stdout } = await command(["resume", run]);
    expect(stdout.match(/^Next: .*$/gm)).toEqual([
      "Next: nothing: those rows were mended and pushed since, or a later push of the file has sent them",
    ]);
  });

  it("are sent where later pushes have sent other keys only, and again when they were corrected once more", async () => {
    const { push, mend, held, rejects, pushRejects } = await pushWithRejects();
    expect((await push([await makeFile("next.csv", csv("A2;7;14/07/2016"))])).code).toBe(0);
    await mend();
    expect((await push(pushRejects)).code).toBe(0);
    expect(held("A1")).toBe("1");
    await writeFile(rejects, (await readFile(rejects, "utf8")).replace("A1;1;", "A1;5;"));
    expect((await push(pushRejects)).code).toBe(0);
    expect(held("A1")).toBe("5");
    expect(held("A2")).toBe("7");
  });

  it("stop also after finished runs were removed", async () => {
    const { push, mend, held, pushRejects, command } = await pushWithRejects();
    expect((await push([await makeFile("next.csv", csv("A1;7;14/07/2016"))])).code).toBe(0);
    expect((await command(["runs", "prune"])).code).toBe(0);
    await mend();
    expect((await push(pushRejects)).code).toBe(2);
    expect(held("A1")).toBe("7");
  });

  it.each([
    ["without their first columns", (text: string) => text.replaceAll(/^(?:[^;]*;){3}/gm, ""), undefined],
    ["as a copy", (text: string) => text, "mended.csv"],
  ])("stop %s too", async (_, edit, copy) => {
    const { push, mend, held, rejects } = await pushWithRejects();
    expect((await push([await makeFile("next.csv", csv("A1;7;14/07/2016"))])).code).toBe(0);
    await mend();
    const text = edit(await readFile(rejects, "utf8"));
    const file = copy === undefined ? rejects : join(dirname(rejects), copy);
    await writeFile(file, text);
    const stopped = await push([file, ...SEMICOLON]);
    expect(stopped).toMatchObject({ code: 2, stderr: expect.stringContaining('the key "A1" since') });
    expect(held("A1")).toBe("7");
  });
});
