import { writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { main } from "./main.ts";

// A step of the build: the help is the same every time, and making it takes longer than showing it.
const out = new PassThrough();
await main(["--help"], {
  stdin: new PassThrough(),
  stdout: out,
  stderr: process.stderr,
  cwd: process.cwd(),
  env: {},
  now: () => new Date(),
  onSignal: () => () => undefined,
});
writeFileSync(new URL("../help.txt", import.meta.url), String(out.read()));
