import { readFileSync, writeFileSync } from "node:fs";
import asc from "assemblyscript/asc";

// Pages of 64 KB: enough for most files. Memory that grows detaches the arrays on it, after which V8 checks every access to any
// typed array of the thread.
const PAGES = "128";
const OPTIONS = [
  "--initialMemory",
  PAGES,
  "--runtime",
  "stub",
  "--enable",
  "simd",
  "-O3",
  "--noAssert",
  "--converge",
  "--use",
  "abort=",
];

/** The WebAssembly of `main.ts` beside this file. */
async function compile() {
  const here = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
  let binary;
  const { error, stderr } = await asc.main(["main.ts", "--outFile", "main.wasm", ...OPTIONS], {
    readFile: (name) => {
      try {
        return here(name);
      } catch {
        return null;
      }
    },
    writeFile: (_name, content) => (binary = content),
    listFiles: () => [],
  });
  if (error) throw new Error(`${error.message}\n${String(stderr)}`);
  return Buffer.from(binary);
}

/** The module that holds it as text, so that it is part of every bundle. */
async function moduleText() {
  const lines = (await compile()).toString("base64").match(/.{1,100}/g);
  return [
    "/** What `npm run wasm` made of `assembly/`, in base64. */",
    "export const ROWS_CODE: string =",
    `  "${lines.join('" +\n  "')}";`,
    "",
  ].join("\n");
}

const text = await moduleText();
if (process.argv[2] === "--print") process.stdout.write(text);
else writeFileSync(new URL("../rows-code.ts", import.meta.url), text);
