import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { openWorld } from "../support/open-world.ts";
import { figuresIn } from "../support/table-parts.ts";
import { makeDirectory } from "../support/temp-files.ts";

const DAY = new Date(2026, 2, 10);
const FIRST = "cle,num_commande,date_billed,actual_billable_amount";

interface Night {
  readonly rows?: number;
  readonly header?: string;
  readonly key?: string;
  readonly ends?: string;
  readonly amount?: string;
}

/** A table that gets files, each with other content. */
async function openTable() {
  const world = await openWorld();
  const directory = await makeDirectory();
  let files = 0;
  const write = async (night: Night = {}): Promise<string> => {
    const { rows = 400, header = FIRST, key = "K", ends = "2026-03-09", amount = "12.50" } = night;
    files++;
    const cells = (row: number): string =>
      [key === "" ? "" : `${key}${row}`, files * 1000 + row, row === 0 ? ends : "2026-01-05", amount]
        .slice(0, header.split(",").length)
        .join(",");
    const path = join(directory, `night-${files}.csv`);
    await writeFile(
      path,
      `${header}\n${Array.from({ length: rows }, (_, row) => `${cells(row)}\n`).join("")}`,
    );
    return path;
  };
  const pins = [
    "--date-format",
    "YYYY-MM-DD",
    "--decimal",
    ".",
    "--delimiter",
    ",",
    "--exports",
    "delta",
    "--quiet",
  ];
  const push = (paths: readonly string[], ...argv: readonly string[]) =>
    world.push([...paths, ...pins, ...argv], { now: DAY });
  /** The files whose figures are kept. */
  const kept = () => figuresIn(join(world.home, "rec-push"));
  const usual = async (nights: number): Promise<void> => {
    for (let at = 0; at < nights; at++) {
      const { code, stderr } = await push([await write()]);
      expect([code, stderr]).toEqual([0, ""]);
    }
  };
  return { world, write, push, kept, usual, directory };
}

describe("a file that is unlike all before it", () => {
  it("is reported with its numbers under --quiet, and is sent", async () => {
    const { write, push, usual, world } = await openTable();
    await usual(3);
    const broken = await write({ rows: 30, key: "", amount: "12500.00" });
    const { code, stdout, stderr } = await push([broken]);
    expect(code).toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toContain("night-4.csv is unlike all of the last 3 files: rows 400 -> 30; ");
    expect(stderr).toContain("updates 400 and creates 0 -> updates 0 and creates 30; ");
    expect(stderr).toContain("is 5000.00 in 400 rows -> 375000.00 in 30 rows; --drift accept says");
    expect(world.numbers()).toContain("4000");
  });

  it("is an event for programs", async () => {
    const { write, push, usual } = await openTable();
    await usual(3);
    const { events } = await push([await write({ header: "cle,num_commande,date_billed" })], "--json");
    const notices = events().filter(({ event }) => event === "notice");
    expect(notices).toMatchObject([
      {
        file: expect.stringContaining("night-4.csv"),
        drift: [{ aspect: "columns:actual_billable_amount", before: 3, now: 0 }],
      },
    ]);
  });

  it("stops with --drift stop until it is accepted, and files like it pass from then on", async () => {
    const { write, push, usual, world } = await openTable();
    await usual(3);
    const small = await write({ rows: 20 });
    const stopped = await push([small], "--drift", "stop");
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain("rows 400 -> 20; nothing was sent");
    expect(stopped.stderr).toContain("--drift accept says that such files are usual from now on");
    expect(world.numbers()).not.toContain("4000");
    expect((await push([small], "--drift", "stop")).code).toBe(3);
    const accepted = await push([small], "--drift", "accept");
    expect([accepted.code, accepted.stderr]).toEqual([0, ""]);
    expect(world.numbers()).toContain("4000");
    expect((await push([await write({ rows: 21 })], "--drift", "stop")).code).toBe(0);
  });

  it("is seen also after the service has moved, where its profile names the former URL", async () => {
    const { usual, write, push, world, directory } = await openTable();
    await usual(4);
    const moved = await openSandbox({ token: world.sandbox.token });
    const there = ["--url", moved.url];
    expect((await push([await write({ rows: 30 })], ...there, "--drift", "stop")).code).toBe(0);
    const config = join(directory, "own.json");
    const profiles = { moved: { sameAs: [world.sandbox.url] } };
    await writeFile(config, JSON.stringify({ profiles, defaultProfile: "moved" }), { mode: 0o600 });
    const named = [...there, "--config", config, "--drift", "stop"];
    const stopped = await push([await write({ rows: 31 })], ...named);
    expect([stopped.code, stopped.stderr]).toEqual([3, expect.stringContaining("rows 400 -> 31")]);
    expect((await push([await write()], ...named)).code).toBe(0);
  });

  it("stops a push of several files as a whole", async () => {
    const { write, push, usual, world, kept } = await openTable();
    await usual(3);
    const { code } = await push([await write(), await write({ rows: 20 })], "--drift", "stop");
    expect(code).toBe(3);
    expect(world.numbers()).not.toContain("4000");
    expect(await kept()).toHaveLength(3);
  });

  it("is accepted after it was sent, too", async () => {
    const { write, push, usual, kept } = await openTable();
    await usual(3);
    const creates = await write({ rows: 60, key: "" });
    expect((await push([creates])).stderr).toContain("is unlike all");
    expect((await push([creates], "--drift", "accept")).stderr).toContain("pushed");
    expect(await kept()).toHaveLength(5);
    expect((await push([await write({ rows: 60, key: "" })])).stderr).toBe("");
  });

  it("is not checked with --drift off, and drift in a config decides that too", async () => {
    const { write, push, usual, directory } = await openTable();
    await usual(3);
    const small = await write({ rows: 20 });
    const config = join(directory, "config.json");
    await writeFile(config, JSON.stringify({ tables: { commandes: { drift: "stop" } } }), { mode: 0o600 });
    expect((await push([small], "--config", config)).code).toBe(3);
    const { code, stderr } = await push([small], "--config", config, "--drift", "off");
    expect([code, stderr]).toEqual([0, ""]);
    await writeFile(config, JSON.stringify({ tables: { commandes: { drift: "accept" } } }), { mode: 0o600 });
    const refused = await push([small], "--config", config);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('"accept": expected one of off, note, stop'),
    ]);
  });

  it("is one of several in a first command, in their order", async () => {
    const { write, push, kept } = await openTable();
    const files = [await write(), await write(), await write(), await write({ rows: 20 })];
    const { code, stderr } = await push(files);
    expect(code).toBe(0);
    expect(stderr).toContain("night-4.csv is unlike all of the last 3 files: rows 400 -> 20");
    expect(await kept()).toHaveLength(4);
  });
});

describe("the figures of a file", () => {
  it("are not kept for files that are pushed again, mended or rehearsed", async () => {
    const { world, write, push, usual, kept, directory } = await openTable();
    await usual(3);
    const again = await write({ rows: 30, key: "" });
    await push([again]);
    expect(await kept()).toHaveLength(4);
    expect((await push([again])).code).toBe(0);
    expect((await push([again], "--again")).stderr).not.toContain("unlike");
    const rejects = join(directory, "night.rejects.csv");
    const marks = "_rejected_line,_rejected_field,_rejected_reason,_later_line";
    await writeFile(rejects, `${marks},${FIRST}\n4,x,y,,M1,1,2026-01-05,1.00\n`);
    const mended = await push([rejects]);
    expect([mended.code, mended.stderr]).toEqual([0, ""]);
    await world.command([await write({ rows: 5 }), "--table", "commandes", "--sandbox"]);
    expect(await kept()).toHaveLength(4);
  });

  it("are not kept for a file that the service refuses", async () => {
    const world = await openWorld(["status=400"]);
    const file = join(await makeDirectory(), "a.csv");
    await writeFile(file, "cle,num_commande\nA1,1\n");
    expect((await world.push([file])).code).toBe(4);
    expect(await figuresIn(join(world.home, "rec-push"))).toEqual([]);
  });
});
