import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shareOf } from "../support/draws.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeEnv } from "./support.ts";

const run = promisify(execFile);
const TOPIC = await readFile("src/help/library.md", "utf8");
const EXAMPLES = [...TOPIC.matchAll(/```js\n(import \{ push[\s\S]*?)```/g)].map((match) => match[1]!);

/** A directory in which the packed package is installed, with the dependencies of this checkout. */
let consumer: string;
let packed: { readonly files: readonly { readonly path: string }[] };

beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), "rec-push-consumer-"));
  // No scripts: they would build again while other tests run the build.
  const { stdout: parts } = await run("npm", ["run", "--silent", "sbom"]);
  await writeFile("dist/sbom.cdx.json", parts);
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", consumer];
  const { stdout } = await run("npm", pack);
  const [first] = JSON.parse(stdout) as readonly { readonly filename: string; readonly files: [] }[];
  packed = first!;
  const home = join(consumer, "node_modules/rec-push");
  await mkdir(home, { recursive: true });
  await run("tar", ["-xzf", join(consumer, first!.filename), "-C", home, "--strip-components=1"]);
  const { dependencies } = JSON.parse(await readFile("package.json", "utf8")) as { dependencies: object };
  for (const name of [...Object.keys(dependencies), "@types/node", "undici-types"]) {
    const link = join(consumer, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(resolve("node_modules", name), link);
  }
  await writeFile(join(consumer, "package.json"), '{ "name": "consumer", "type": "module" }');
});
afterAll(() => rm(consumer, { recursive: true, force: true }));

const envOf = ({ url, token }: { readonly url: string; readonly token: string }) => ({
  PATH: process.env["PATH"],
  ...makeEnv(),
  REC_PUSH_URL: url,
  REC_PUSH_TOKEN: token,
});

/** A consumer's code; each line marked as an error must be one. */
const TYPED = `
import { check, type FailureCode, push, PushError, type PushEvent, type PushOptions, type Run } from "rec-push";

const own: PushOptions = { token: "t", signal: new AbortController().signal };
const options: PushOptions = { ...own, table: "t", batchSize: 20, map: { a: "b" }, header: false };
const run: Run = push(["a.csv", new URL("file:///b.csv")], options);
for await (const event of run) {
  const told: PushEvent = event;
  switch (told.event) {
    case "batch": { const rows: number = told.rows; const kind: "update" | "create" = told.kind; void [rows, kind]; break; }
    case "reject": { const reason: string = told.reason; void reason; break; }
    case "survey": { const { fingerprint, updates } = told; const known: number = updates; void [fingerprint, known]; break; }
    case "summary": { const code: number = told.exitCode; const lost: number = told.notSent; void [code, lost]; break; }
    // @ts-expect-error no event has this name
    case "nothing": break;
  }
}
push({ rows: [{ a: 1 }], name: "x" });
push({ bytes: process.stdin });
push({ bytes: new Blob(["a"]).stream() });
check("a.csv", { records: "out.ndjson" });
try { await push("a").summary(); } catch (error) {
  if (error instanceof PushError) {
    const code: FailureCode = error.code;
    if (code === "interrupted") void error.summary.accepted;
    // @ts-expect-error no failure has this code
    if (code === "no-such-code") void 0;
  }
}
// @ts-expect-error check sends nothing
check("a.csv", { batchSize: 5 });
// @ts-expect-error an option that is about the terminal
push("a.csv", { json: true });
// @ts-expect-error mistyped
push("a.csv", { batchsize: 5 });
// @ts-expect-error one of some words
push("a.csv", { onInvalid: "ignore" });
// @ts-expect-error pairs are objects
push("a.csv", { map: ["a=b"] });
// @ts-expect-error bytes or rows
push({ name: "x" });
// @ts-expect-error rows are objects
push({ rows: [1, 2] });
`;

describe("the package as npm packs it", () => {
  it("has what runs, its types, and a list of its parts; and runs nothing when it is installed", async () => {
    const paths = packed.files.map(({ path }) => path);
    for (const path of [
      "bin/rec-push.js",
      "dist/cli/door.js",
      "dist/library/index.js",
      "dist/library/prepare-thread.js",
      "dist/library/types/library/index.d.ts",
      "dist/sbom.cdx.json",
    ])
      expect(paths).toContain(path);
    expect(paths.filter((path) => /^(src|test|node_modules)\//.test(path))).toEqual([]);
    const home = join(consumer, "node_modules/rec-push");
    const { scripts } = JSON.parse(await readFile(join(home, "package.json"), "utf8")) as {
      scripts: object;
    };
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
    const sbom = JSON.parse(await readFile(join(home, "dist/sbom.cdx.json"), "utf8")) as {
      readonly bomFormat: string;
      readonly components: readonly { readonly name: string }[];
    };
    const parts = new Set(sbom.components.map(({ name }) => name));
    expect([sbom.bomFormat, parts.has("undici"), parts.has("vitest")]).toEqual(["CycloneDX", true, false]);
  });

  const MODULES = [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ] as const;

  it.each(shareOf(MODULES, 1))(
    "compiles with module %s and moduleResolution %s",
    async (module, resolution) => {
      await writeFile(join(consumer, "typed.ts"), TYPED);
      const flags =
        "--noEmit --strict --exactOptionalPropertyTypes --ignoreConfig --target es2023 --types node".split(
          " ",
        );
      const argv = [...flags, "--module", module, "--moduleResolution", resolution, "typed.ts"];
      const { stdout } = await run(resolve("node_modules/.bin/tsc"), argv, { cwd: consumer }).catch(
        (error: unknown) => error as { stdout: string },
      );
      expect(stdout).toBe("");
    },
  );

  it("is imported by modules and by CommonJS, and nothing else of it is", async () => {
    const names = "console.log(Object.keys(found).sort().join())";
    await writeFile(join(consumer, "required.cjs"), `const found = require("rec-push"); ${names}`);
    const deep = 'import("rec-push/dist/cli/door.js").catch((e) => console.log(e.code))';
    for (const [argv, told] of [
      [
        ["--input-type=module", "-e", `import * as found from "rec-push"; ${names}`],
        /^PushError,check,push\n$/,
      ],
      [["--input-type=module", "-e", deep], /^ERR_PACKAGE_PATH_NOT_EXPORTED\n$/],
      [["required.cjs"], /PushError,check,push/],
    ] as const)
      expect((await run(process.execPath, argv, { cwd: consumer })).stdout).toMatch(told);
  });

  it("makes records in a thread for a large input, also for code given with -e", async () => {
    const sandbox = await openSandbox();
    const env = envOf(sandbox);
    const lines = Array.from(
      { length: 3_000 },
      (_, at) => `k${at};${at};13/07/2016;${at},50;${"text that takes room ".repeat(80)}`,
    );
    const text = ["cle;num_commande;date_billed;actual_billable_amount;remarks", ...lines, ""].join("\n");
    await writeFile(join(consumer, "large.csv"), text);
    const code = `
      let threads = 0;
      process.on("worker", () => (threads += 1));
      const { push } = await import("rec-push");
      const { accepted } = await push("large.csv", { table: "commandes", otherColumns: "send" }).summary();
      console.log(accepted, threads > 0);`;
    const argv = ["--input-type=module", "-e", code];
    const { stdout } = await run(process.execPath, argv, { cwd: consumer, env });
    expect(stdout.trim()).toBe("3000 true");
    expect(heldBy(sandbox)).toHaveLength(3_000);
  });
});

describe("the examples of the topic library", () => {
  it("are two", () => expect(EXAMPLES).toHaveLength(2));

  it.each([
    [0, "skip", "2 of 3 rows accepted", 4, "line 3: ", 2],
    [1, "stop", "2 rows accepted", 0, "", 2],
  ])("number %i runs as it stands with invalid rows: %s", async (at, onInvalid, told, code, said, held) => {
    const sandbox = await openSandbox();
    const env = envOf(sandbox);
    const config = { tables: { commandes: { onInvalid } } };
    const cwd = await mkdtemp(join(consumer, "example-"));
    await writeFile(
      join(cwd, "orders.csv"),
      "num_commande;date_billed\n1;13/07/2016\n2;31/02/2016\n3;14/07/2016\n",
    );
    await writeFile(join(cwd, "rec-push.config.json"), JSON.stringify(at === 0 ? config : { tables: {} }));
    await writeFile(join(cwd, "example.mjs"), EXAMPLES[at]!);
    const ended = await run(process.execPath, ["example.mjs"], { cwd, env }).catch(
      (error: unknown) => error as { stdout: string; stderr: string; code: number },
    );
    expect(ended.stdout).toContain(told);
    expect(ended.stderr).toContain(said);
    expect("code" in ended ? ended.code : 0).toBe(code);
    expect(heldBy(sandbox)).toHaveLength(held);
  });
});
