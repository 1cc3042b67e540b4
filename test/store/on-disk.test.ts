import { readlinkSync } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeTable, openStateDirectory, placeOfTable } from "../../src/store/state-directory.ts";
import { ChaosService } from "../chaos/chaos-service.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeDirectory } from "../support/temp-files.ts";

const GOOD = { applies: true, delayMs: 0, how: "answer", status: 200 } as const;

/** The paths that this process brings to disk until the test ends, in order. */
async function watchSyncs(): Promise<readonly string[]> {
  const handle = await open(process.execPath);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const paths: string[] = [];
  for (const name of ["sync", "datasync"] as const) {
    const original: () => Promise<void> = Reflect.get(prototype, name);
    prototype[name] = async function watched(this: FileHandle) {
      const path = readlinkSync(`/proc/self/fd/${this.fd}`);
      await original.call(this);
      paths.push(path);
    };
    onTestFinished(() => void Object.assign(prototype, { [name]: original }));
  }
  return paths;
}

describe.runIf(process.platform === "linux")("before the first request of a machine's first run", () => {
  it("all that a process after a power failure needs is on disk, names included", async () => {
    const synced = await watchSyncs();
    let before: readonly string[] = [];
    const service = await ChaosService.start(() => GOOD);
    onTestFinished(() => service.close());
    service.onRequest.add(() => {
      before = before.length > 0 ? before : [...synced];
    });
    const home = makeStateHome();
    const env = { XDG_STATE_HOME: `${home}/new`, REC_PUSH_URL: service.url, REC_PUSH_TOKEN: "disk-token" };
    expect((await runMain(["-", "-t", "commandes"], { env, stdin: "num_commande\n1\n" })).code).toBe(0);
    const run = String.raw`\d{8}-\d{6}-[0-9a-f]+`;
    for (const path of [
      "",
      "/new",
      "/new/rec-push",
      "/new/rec-push/incoming/.*/input-.*",
      "/new/rec-push/tables",
      "/new/rec-push/tables/[0-9a-f]{32}",
      "/new/rec-push/tables/[0-9a-f]{32}/book",
      "/new/rec-push/tables/[0-9a-f]{32}/runs",
      `/new/rec-push/tables/[0-9a-f]{32}/runs/${run}`,
      `/new/rec-push/tables/[0-9a-f]{32}/runs/${run}/journal`,
      String.raw`/new/rec-push/tables/[0-9a-f]{32}/lock\.draft-.*`,
    ])
      expect(before).toContainEqual(expect.stringMatching(new RegExp(`^${home}${path}$`)));
  });
});

describe.runIf(process.platform === "linux")("a push of some requests", () => {
  it.each(["creates", "updates"])(
    "of %s brings to disk what something relies on, and nothing else",
    async (kind) => {
      const service = await ChaosService.start(() => GOOD);
      onTestFinished(() => service.close());
      const home = makeStateHome();
      const env = { XDG_STATE_HOME: home, REC_PUSH_URL: service.url, REC_PUSH_TOKEN: "disk-token" };
      const push = (first: number) => {
        const key = kind === "updates" ? "cle," : "";
        const rows = [0, 1, 2, 3, 4].map((at) => `${key && `K${at},`}${first + at}\n`).join("");
        const words = ["-t", "commandes", "--batch-size", "2", "--concurrency", "1"];
        return runMain(["-", ...words], { env, stdin: `${key}num_commande\n${rows}` });
      };
      expect((await push(10)).code).toBe(0);
      let requests = 0;
      service.onRequest.add(() => void (requests += 1));
      const synced = await watchSyncs();
      expect((await push(20)).code).toBe(0);
      expect(requests).toBeGreaterThan(2);
      const places = synced
        .filter((path) => !path.includes("/incoming/"))
        .map((path) => path.replace(/^.*\/tables\/[0-9a-f]{32}/, ""));
      const names = places.map((path) =>
        path.replace(/\d{8}-\d{6}-[0-9a-f]+/, "RUN").replace(/[.-][0-9a-f]{12,16}(?: \(deleted\))?$/, ""),
      );
      expect(names).toEqual([
        // The lock: its content before it is the lock, and its name.
        "/lock.draft",
        "",
        // The names of the run and its journal, and the run in the book.
        "/runs/RUN",
        "/runs",
        "/book",
        ...(kind === "updates"
          ? // The lock says that updates are sent, as the file that was made.
            ["/lock.draft"]
          : [
              // The intents, one for each request: these wait for each other. The first brings the lines before it to disk.
              ...Array.from({ length: requests }, () => "/runs/RUN/journal"),
              // The prints and their name, then the close.
              "/prints/.RUN",
              "/prints",
            ]),
        "/book",
      ]);
    },
  );
});

describe.runIf(process.platform === "linux")("the names of the parts of a state directory", () => {
  it("are brought to disk until there is something in them: the process that made them may have been killed", async () => {
    const root = `${await makeDirectory()}/rec-push`;
    const state = await openStateDirectory(root);
    const synced = (await watchSyncs()) as string[];
    const syncedBy = async (act: () => Promise<unknown>): Promise<readonly string[]> => {
      synced.length = 0;
      await act();
      return [...synced];
    };
    expect(await syncedBy(() => openStateDirectory(root))).toEqual(
      expect.arrayContaining([root, dirname(root), dirname(dirname(root))]),
    );
    const table = { url: "https://records.example/api/items/t/", queries: undefined };
    // As a process leaves it that is killed right after that.
    await mkdir(placeOfTable(state, table));
    expect(await syncedBy(() => makeTable(state, table))).toEqual([state.tables]);
    expect(await syncedBy(() => makeTable(state, table))).toEqual([]);
    expect(await syncedBy(() => openStateDirectory(root))).toEqual([]);
  });
});
