// Takes the place of the command in chaos: a push goes through `import { push }`, all else through the command.
import { stdin, stdout } from "node:process";
import { push } from "../../dist/library/index.js";

const [first = "", ...more] = process.argv.slice(2);
if (["resume", "runs", "ledger", "init", "sandbox"].includes(first)) await import("../../bin/rec-push.js");
else process.exitCode = await pushAsProgram(first === "push" ? more : [first, ...more]);

async function pushAsProgram(argv) {
  const start = argv.findIndex((word) => word.startsWith("--"));
  const files = argv.slice(0, start);
  const input = files[0] === "-" ? { bytes: stdin } : files;
  const summary = [];
  try {
    for await (const event of push(input, optionsOf(argv.slice(start)))) {
      if (event.event === "summary") summary.push(event);
      stdout.write(`${JSON.stringify(event)}\n`);
    }
  } catch (error) {
    if (error.name !== "PushError") throw error;
  }
  return summary.at(-1).exitCode;
}

/** `--drop a,b --type f=date --again` -> `{ drop: ["a", "b"], type: { f: "date" }, again: true }` */
function optionsOf(words) {
  const options = {};
  for (let at = 0; at < words.length; at++) {
    const name = words[at].slice(2).replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
    if (name === "json") continue;
    const isFlag = words[at + 1] === undefined || words[at + 1].startsWith("--");
    if (isFlag) options[name] = true;
    else if (["drop", "identifyBy"].includes(name)) options[name] = words[++at].split(",");
    else if (["type", "map", "set"].includes(name)) {
      const [left, right] = words[++at].split("=");
      options[name] = { ...options[name], [left]: right };
    } else options[name] = words[++at];
  }
  return options;
}
