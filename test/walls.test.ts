import { execFile } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDirectory } from "./support/temp-files.ts";

/** The rooms of `src`, and the rooms that each may import beside `model`. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  kernel: [],
  read: ["kernel"],
  fields: ["kernel"],
  send: [],
  report: [],
  sandbox: [],
  options: ["read", "fields", "send"],
  store: ["ledger", "survey", "fields"],
  ledger: ["store", "survey"],
  drift: ["fields", "store"],
  survey: ["prepare", "read", "fields", "store"],
  prepare: ["survey", "read", "fields", "kernel", "send"],
  files: ["prepare", "survey", "read", "fields", "store"],
  shards: ["prepare", "survey", "read", "fields", "ledger", "store"],
  push: ["shards", "files", "prepare", "survey", "read", "fields", "ledger", "drift", "store", "send"],
};
const ROOMS = [...Object.keys(MAY_IMPORT), "cli", "library"];

/** The packages, and the rooms that may import them. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  undici: ["send"],
  commander: ["cli"],
  chalk: ["report"],
  "csv-parse": [],
};

const FOLDERS = ["", "deep/", "deep/deeper/"];

/** By file: the lint rule of our configuration that refuses it; files that pass are left out. */
async function lint(files: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, string>> {
  const directory = await makeDirectory();
  await copyFile(".oxlintrc.json", join(directory, ".oxlintrc.json"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  const output = await new Promise<string>((done) => {
    const argv = ["--format=json", "src"];
    execFile(resolve("node_modules/.bin/oxlint"), argv, { cwd: directory, maxBuffer: 2 ** 26 }, (_, stdout) =>
      done(stdout),
    );
  });
  const { diagnostics } = JSON.parse(output) as {
    readonly diagnostics: readonly { readonly filename: string; readonly code: string }[];
  };
  return new Map(diagnostics.map(({ filename, code }) => [filename, code]));
}

/** A file in a folder of a room that imports from a place in `src`. */
function plant(room: string, folder: string, name: string, place: string): [path: string, content: string] {
  const up = folder.replaceAll(/[^/]+\//g, "../");
  const from = /^[a-z]+\//.test(place) ? `../${up}${place}` : place.slice(1);
  return [`src/${room}/${folder}${name}.ts`, `import { found } from "${from}";\nfound();\n`];
}

describe("an import", () => {
  it("of a room is refused wherever it is forbidden, at every depth, and nowhere else", async () => {
    const planted = ROOMS.flatMap((room) =>
      ROOMS.filter((other) => other !== room).flatMap((other) =>
        FOLDERS.map((folder) => {
          const isDoor = room === "library" || (room === "cli" && other !== "library");
          const isFree = isDoor || other === "model" || MAY_IMPORT[room]?.includes(other) === true;
          return { isFree, file: plant(room, folder, `to-${other}`, `${other}/found.ts`) };
        }),
      ),
    );
    const refused = await lint(Object.fromEntries(planted.map(({ file }) => file)));
    const expected = planted.filter(({ isFree }) => !isFree).map(({ file: [path] }) => path);
    expect([...refused.keys()].sort()).toEqual(expected.sort());
    expect(new Set(refused.values())).toEqual(new Set(["eslint(no-restricted-imports)"]));
  });

  it("of a package is refused but in the room that it belongs to", async () => {
    const planted = ROOMS.flatMap((room) =>
      Object.entries(PACKAGES).flatMap(([name, rooms]) =>
        FOLDERS.map((folder) => ({
          isFree: rooms.includes(room),
          file: plant(room, folder, `to-${name}`, `:${name}`),
        })),
      ),
    );
    const refused = await lint(Object.fromEntries(planted.map(({ file }) => file)));
    const expected = planted.filter(({ isFree }) => !isFree).map(({ file: [path] }) => path);
    expect([...refused.keys()].sort()).toEqual(expected.sort());
  });

  it("that closes a cycle is refused, of a type too", async () => {
    const refused = await lint({
      "src/fields/one.ts": 'import type { Two } from "./two.ts";\nexport type One = Two | 1;\n',
      "src/fields/two.ts": 'import type { One } from "./one.ts";\nexport type Two = readonly One[];\n',
    });
    expect(Object.fromEntries(refused)).toEqual({
      "src/fields/one.ts": "import(no-cycle)",
      "src/fields/two.ts": "import(no-cycle)",
    });
  });
});
