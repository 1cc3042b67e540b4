import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import type { RecPushError } from "../../src/model/failure.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { fileNameOf } from "../../src/sandbox/table-file.ts";
import { ownIdentity } from "../../src/state/process-identity.ts";
import { post, sandboxFor } from "./client.ts";

function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "sandbox-"));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** Starts a sandbox on the directory, works with it, and ends it. */
async function during(dataDirectory: string, work: (sandbox: Sandbox) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox({ dataDirectory });
  try {
    await work(sandbox);
  } finally {
    await sandbox.close();
  }
}

async function heldAfterRestart(dataDirectory: string, table = "commandes"): Promise<readonly unknown[]> {
  let held: readonly unknown[] = [];
  await during(dataDirectory, async (sandbox) => {
    held = sandbox.store.snapshot(table);
    await Promise.resolve();
  });
  return held;
}

const file = "table-commandes.ndjson";

describe("a data directory", () => {
  it("keeps fiches, their order and their keys across restarts", async () => {
    const directory = join(freshDirectory(), "made", "here");
    await during(directory, async (sandbox) => {
      await post(sandbox, [{ cle: "1", a: "x" }, { a: "created" }]);
      await post(sandbox, [{ cle: "1", b: 'é"\n' }]);
    });
    await during(directory, async (sandbox) => {
      await post(sandbox, [{ a: "created later" }]);
    });
    expect(await heldAfterRestart(directory)).toEqual([
      { cle: "1", a: "x", b: 'é"\n' },
      { cle: "F000001", a: "created" },
      { cle: "F000002", a: "created later" },
    ]);
  });

  it("loses only the batch whose line was cut short, whole, wherever the cut is", async () => {
    const directory = freshDirectory();
    await during(directory, async (sandbox) => {
      await post(sandbox, [{ cle: "1" }]);
      await post(sandbox, [{ cle: "2" }, { cle: "3" }]);
    });
    const whole = readFileSync(join(directory, file));
    const secondLine = whole.subarray(0, -1).lastIndexOf("\n") + 1;
    for (let size = whole.length - 1; size >= secondLine; size -= 1) {
      writeFileSync(join(directory, file), whole.subarray(0, size));
      expect(await heldAfterRestart(directory)).toEqual([{ cle: "1" }]);
      expect(readFileSync(join(directory, file))).toEqual(whole.subarray(0, secondLine));
    }
  });

  it("continues to write after a line that was cut short", async () => {
    const directory = freshDirectory();
    await during(directory, async (sandbox) => {
      await post(sandbox, [{ cle: "1" }]);
    });
    appendFileSync(join(directory, file), '[{"cle":"2"');
    await during(directory, async (sandbox) => {
      await post(sandbox, [{ cle: "3" }]);
    });
    expect(await heldAfterRestart(directory)).toEqual([{ cle: "1" }, { cle: "3" }]);
  });

  it("forgets a table of which not even the first line was finished", async () => {
    const directory = freshDirectory();
    writeFileSync(join(directory, file), '{"recPush');
    expect(await heldAfterRestart(directory)).toEqual([]);
    await during(directory, async (sandbox) => {
      await post(sandbox, [{ cle: "1" }]);
    });
    expect(await heldAfterRestart(directory)).toEqual([{ cle: "1" }]);
  });

  it("holds only what is in its file: a batch that cannot be written is answered 500 and not applied", async () => {
    const directory = freshDirectory();
    const sandbox = await sandboxFor({ dataDirectory: directory });
    await post(sandbox, [{ cle: "1" }]);
    truncateSync(join(directory, file), 5);
    const answer = await post(sandbox, [{ cle: "2" }]);
    expect([answer.status, answer.msg]).toEqual([500, "Something went wrong. Please try again later."]);
    expect(sandbox.store.snapshot("commandes")).toEqual([{ cle: "1" }]);
  });

  it("takes back the beginning of a batch that a full disk left behind", async () => {
    const directory = freshDirectory();
    await during(directory, async (sandbox) => {
      await post(sandbox, [{ cle: "1" }]);
      appendFileSync(join(directory, file), '[{"cle":"half');
      await post(sandbox, [{ cle: "2" }]);
    });
    expect(await heldAfterRestart(directory)).toEqual([{ cle: "1" }, { cle: "2" }]);
  });

  it("rewrites a file that holds mostly old values, and what an earlier rewriting left is removed", async () => {
    const directory = freshDirectory();
    const batch = (value: string): unknown[] =>
      Array.from({ length: 700 }, (_, index) => ({ cle: `K${index}`, value }));
    await during(directory, async (sandbox) => {
      for (const value of ["a", "b", "c", "d"]) await post(sandbox, batch(value));
    });
    writeFileSync(join(directory, `.${file}.0123456789ab`), "half");
    writeFileSync(join(directory, ".table-factures.ndjson.ba9876543210"), "half");
    const before = readFileSync(join(directory, file)).length;
    expect(await heldAfterRestart(directory)).toEqual(batch("d"));
    expect(readFileSync(join(directory, file)).length).toBeLessThan(before / 3);
    expect(readdirSync(directory)).toEqual(["sandbox.lock.2", file]);
    await during(directory, async (sandbox) => {
      await post(sandbox, [{ cle: "K0", value: "e" }]);
    });
    expect(await heldAfterRestart(directory)).toEqual([{ cle: "K0", value: "e" }, ...batch("d").slice(1)]);
  });

  it.each([
    ["a broken line", '{"recPushSandbox":1,"table":"commandes"}\n[{"cle":\n[{"cle":"1"}]\n', ":2 "],
    ["a record without key", '{"recPushSandbox":1,"table":"commandes"}\n[{"a":"1"}]\n', ":2 "],
    ["another program's file", "hello\n", ":1 "],
    ["another table's name", '{"recPushSandbox":1,"table":"factures"}\n', "table-factures.ndjson"],
  ])("is refused when it holds %s, naming file and line", async (_, content, place) => {
    const directory = freshDirectory();
    writeFileSync(join(directory, file), content);
    await expect(startSandbox({ dataDirectory: directory })).rejects.toMatchObject({
      kind: "machine",
      code: "broken-sandbox-data",
      message: expect.stringContaining(file) as string,
    });
    await expect(startSandbox({ dataDirectory: directory })).rejects.toThrow(place);
  });

  it("belongs to one sandbox at a time", async () => {
    const directory = freshDirectory();
    const first = await startSandbox({ dataDirectory: directory });
    await expect(startSandbox({ dataDirectory: directory })).rejects.toMatchObject({
      code: "sandbox-data-in-use",
    });
    await first.close();
    expect(await heldAfterRestart(directory)).toEqual([]);
  });

  it.each([
    ["is gone", "started", { pid: 2_147_483_000 }],
    ["had this one's number", "started", { startedAt: "1" }],
    ["did not finish writing it", "started", undefined],
    ["still runs", "sandbox-data-in-use", {}],
  ])("whose lock is of a process that %s gives: %s", async (_, expected, lock) => {
    const directory = freshDirectory();
    writeFileSync(
      join(directory, "sandbox.lock.1"),
      lock ? JSON.stringify({ ...ownIdentity(), ...lock }) : "",
    );
    const started = startSandbox({ dataDirectory: directory }).then(
      async (sandbox) => {
        await sandbox.close();
        return "started";
      },
      (error: unknown) => (error as RecPushError).code,
    );
    expect(await started).toBe(expected);
  });

  it("says so when it cannot be used", async () => {
    const directory = freshDirectory();
    writeFileSync(join(directory, "file"), "");
    await expect(startSandbox({ dataDirectory: join(directory, "file") })).rejects.toMatchObject({
      kind: "machine",
    });
  });

  it.each(["../../etc/passwd", "Commandes", "con:1", "t".repeat(200), "été", "a/b", "A_B", ".", ""])(
    "keeps the table %j in a file name of its own that stays inside",
    (table) => {
      const name = fileNameOf(table);
      expect(name).toMatch(/^table-[a-z0-9_-]*\.[0-9a-f]{32}\.ndjson$/);
      expect(name.length).toBeLessThan(100);
      expect(name).not.toBe(fileNameOf("a_b"));
    },
  );

  it("keeps tables with any name", async () => {
    const directory = freshDirectory();
    await during(directory, async (sandbox) => {
      for (const name of ["..%2F..%2Fx", "Commandes", "commandes"]) {
        await post(sandbox, [{ cle: name }], { path: `/api/items/${name}/` });
      }
    });
    expect(await heldAfterRestart(directory, "../../x")).toEqual([{ cle: "..%2F..%2Fx" }]);
    expect(await heldAfterRestart(directory, "Commandes")).toEqual([{ cle: "Commandes" }]);
    expect(await heldAfterRestart(directory, "commandes")).toEqual([{ cle: "commandes" }]);
  });
});
