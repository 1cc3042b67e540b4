import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const ASK = { others: "nothing" } as const;
const TEXT = "cle;num_commande;Order date;note\nA1;1;13/07/2016;x\nA2;2;14/07/2016;y\nA3;3;15/07/2016;\n";
const SENT = [
  { cle: "A1", num_commande: "1", order_date: "2016-07-13", note: "x" },
  { cle: "A2", num_commande: "2", order_date: "2016-07-14", note: "y" },
  { cle: "A3", num_commande: "3", order_date: "2016-07-15" },
];

describe("a file with columns that nobody declared", () => {
  it.each([[[]], [["--on-invalid", "skip"]]])(
    "stops with exit 3 before anything is sent: %j",
    async (more) => {
      const sandbox = await openSandbox();
      const file = await makeFile("a.csv", TEXT);
      const { code, stderr } = await pushTo(sandbox, [file, ...more], ASK);
      expect([code, stderr]).toEqual([3, expect.stringContaining('column 3 "Order date" is not declared')]);
      expect(sandbox.requests().requests).toBe(0);
    },
  );

  it("is loaded correctly with the line that the error prints, pasted into a shell", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", TEXT);
    const { stderr } = await pushTo(sandbox, [file], ASK);
    const [, line = ""] = /^ {2}add (.*)$/m.exec(stderr) ?? [];
    const words = spawnSync("sh", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" })
      .stdout.trimEnd()
      .split("\n");
    expect((await pushTo(sandbox, [file, ...words], ASK)).code).toBe(0);
    expect(heldBy(sandbox)).toEqual(SENT);
  });

  it("stops where a constant is given for a field that has a column: exit 2", async () => {
    const file = await makeFile("a.csv", "cle;num_commande;Source\nA1;1;x\n");
    const { code, stderr } = await runMain(["check", file, "--set", "source=web"], ASK);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('--set source=...: column 3 "Source" goes to that field'),
    ]);
  });

  it("stops where every row is skipped for want of a field: exit 3", async () => {
    const file = await makeFile("a.csv", "cle;note\nA1;x\n");
    const { code, stderr } = await runMain(["check", file, "--other-columns", "drop"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("no row has anything to send")]);
  });
});

describe("--other-columns", () => {
  it("send sends them, with the types that their values have", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", TEXT);
    expect((await pushTo(sandbox, [file, "--other-columns", "send"])).code).toBe(0);
    expect(heldBy(sandbox)).toEqual(SENT);
  });

  it.each(["last", "stop"])(
    "send counts each key once although it reads the rows again: --on-repeat %s",
    async (how) => {
      const sandbox = await openSandbox();
      const file = await makeFile("a.csv", TEXT);
      const { code, stdout } = await pushTo(sandbox, [file, "--other-columns", "send", "--on-repeat", how]);
      expect([code, stdout]).toEqual([0, expect.stringContaining("3 rows read: 3 accepted")]);
    },
  );

  it("drop leaves them out", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", TEXT);
    expect((await pushTo(sandbox, [file, "--other-columns", "drop"])).code).toBe(0);
    expect(heldBy(sandbox)).toEqual(SENT.map(({ cle, num_commande }) => ({ cle, num_commande })));
  });

  it("accepts no other word", async () => {
    const { code, stderr } = await runMain(["check", "a.csv", "--other-columns", "asNamed"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("one of send, drop")]);
  });

  it("is otherColumns in the config, and init pins it with a type for every column", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", TEXT);
    const cwd = dirname(file);
    const init = await runMain(["init", file, "-t", "commandes", "--other-columns", "send"], { cwd });
    expect(init.code).toBe(0);
    const config = JSON.parse(await readFile(join(cwd, "rec-push.config.json"), "utf8")) as {
      tables: { commandes: { otherColumns: string; map: object; fields: Record<string, object> } };
    };
    const { otherColumns, map, fields } = config.tables.commandes;
    expect({ otherColumns, map, fields }).toMatchObject({
      otherColumns: "send",
      map: { "Order date": "order_date", note: "note" },
      fields: { order_date: { type: "date:DD/MM/YYYY" }, note: { type: "text" } },
    });
    const pushed = await pushTo(sandbox, [file, "--pinned"], { cwd, ...ASK });
    expect([pushed.code, heldBy(sandbox)]).toEqual([0, SENT]);
  });

  it("answers in the config for a later file's new column", async () => {
    const file = await makeFile("a.csv", TEXT);
    const cwd = join(dirname(file), "below");
    await mkdir(cwd);
    const config = join(dirname(file), "rec-push.config.json");
    const say = (section: object) => writeFile(config, JSON.stringify({ tables: { commandes: section } }));
    await say({ fields: { order_date: { type: "date" } } });
    const asked = await runMain(["check", file, "-t", "commandes"], { cwd, ...ASK });
    expect([asked.code, asked.stderr]).toEqual([3, expect.stringContaining("add --type note=text\n")]);
    await say({ fields: { order_date: { type: "date" } }, otherColumns: "drop" });
    expect((await runMain(["check", file, "-t", "commandes"], { cwd, ...ASK })).code).toBe(0);
  });

  it("is in the command for the mended file, with the types that the whole file settled", async () => {
    const sandbox = await openSandbox();
    const rows = "A1;1;13/07/2016;w\nA2;2;14/07/2016;x\nA3;3;15/07/2016;y\nA4;z;16/07/2016;13/06/2016\n";
    const file = await makeFile("a.csv", `cle;num_commande;Order date;note\n${rows}`);
    const path = join(dirname(file), "r.csv");
    const skip = ["--on-invalid", "skip", "--rejects", path, "--other-columns", "send"];
    const { code, stdout } = await pushTo(sandbox, [file, ...skip]);
    expect(code).toBe(4);
    const command = stdout.split("\n").find((line) => line.includes("rec-push /"))!;
    expect(command).toContain("--other-columns send");
    expect(command).toContain("--type order_date=date:DD/MM/YYYY --type note=text");
    await writeFile(path, (await readFile(path, "utf8")).replace(";z;", ";4;"));
    const words = spawnSync(
      "sh",
      ["-c", `printf '%s\\n' ${command.slice(command.indexOf("rec-push ") + 9)}`],
      {
        encoding: "utf8",
      },
    );
    expect((await pushTo(sandbox, words.stdout.trimEnd().split("\n"), ASK)).code).toBe(0);
    // Taken alone, the value of the mended row is a date.
    expect(heldBy(sandbox).at(-1)).toEqual({
      cle: "A4",
      num_commande: "4",
      order_date: "2016-07-16",
      note: "13/06/2016",
    });
  });
});

describe("a run", () => {
  it("keeps --other-columns, so that a resume does not need it", async () => {
    const { sandbox, push, command } = await openWorld(["status=401"]);
    const file = await makeFile("a.csv", TEXT);
    expect((await push([file, "--other-columns", "send"])).code).toBe(5);
    sandbox.setFaults([]);
    expect((await command(["resume"])).code).toBe(0);
    expect(heldBy(sandbox)).toEqual(SENT);
  });
});
