import { enter } from "../src/cli/door.ts";

// The command of the one file, as bin/rec-push.js.
void enter(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
