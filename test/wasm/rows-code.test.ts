import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

describe("the WebAssembly", () => {
  it("is what its source compiles to", async () => {
    const args = ["src/wasm/assembly/compile.mjs", "--print"];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(await readFile("src/wasm/rows-code.ts", "utf8")).toBe(stdout);
  });
});
