import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import wasm from "undici/lib/llhttp/llhttp_simd-wasm.js";
import { expect, it } from "vitest";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const run = promisify(execFile);

/** Prints the digest of all WebAssembly that the process has compiled, in order. */
const TELL_COMPILED = `
  const { createHash } = require("node:crypto");
  const compiled = [];
  WebAssembly.Module = new Proxy(WebAssembly.Module, {
    construct(Module, [bytes]) {
      compiled.push(createHash("sha256").update(bytes).digest("hex"));
      return new Module(bytes);
    },
  });
  process.on("exit", () => require("node:fs").writeSync(2, "compiled " + compiled.join(" ") + "\\n"));
`;

/** How often a push compiles undici's parser. */
async function timesCompiled(argv: readonly string[], rows = "A1,1\n"): Promise<number> {
  const directory = await makeDirectory();
  const input = await makeFile("a.csv", `cle,num_commande\n${rows}`);
  const preload = await makeFile("tell-compiled.cjs", TELL_COMPILED);
  const { stderr } = await run(process.execPath, ["-r", preload, "bin/rec-push.js", input, ...argv], {
    env: { ...process.env, XDG_STATE_HOME: join(directory, "state"), XDG_CACHE_HOME: directory },
  });
  // Each thread has a line.
  const compiled = [...stderr.matchAll(/^compiled (.*)$/gm)].flatMap(([, digests = ""]) =>
    digests.split(" "),
  );
  const parser = createHash("sha256").update(wasm).digest("hex");
  return compiled.filter((digest) => digest === parser).length;
}

// Later versions do not wait for it at their end.
it.skipIf(Number.parseInt(process.versions.node, 10) > 22)("makes V8 optimise the parser", async () => {
  const script = "require('./dist/cli/optimise-parser.js').optimiseParser()";
  const { stdout } = await run(process.execPath, ["--trace-wasm-compilation-times", "-e", script]);
  expect(stdout).toContain("using TurboFan");
});

// V8 compiles the same bytes once.
it.each([
  ["a short push", "A1,1\n"],
  ["a long one", Array.from({ length: 1100 }, (_, at) => `A${at},1${" ".repeat(4096)}\n`).join("")],
])("takes the parser that undici takes afterwards, in %s", async (_, rows) => {
  expect(await timesCompiled(["--table", "commandes", "--sandbox"], rows)).toBe(2);
});

it("is left out of a push that sends nothing", async () => {
  expect(await timesCompiled(["--table", "commandes", "--sandbox", "--dry-run"])).toBe(0);
});
