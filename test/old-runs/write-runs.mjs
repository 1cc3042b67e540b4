// Writes fixtures/NAME: runs that an earlier build left, one directory each. The build is named by its bin:
//   node test/old-runs/write-runs.mjs /path/to/earlier/bin/rec-push.js NAME
// Each run is begun against a sandbox that refuses the token from the second batch on. What a second sandbox holds
// after the same build has resumed the run is `held.json`: the records that a later build has to send.
import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { RUNS } from "./runs.mjs";

const [bin, kept] = process.argv.slice(2);
const target = fileURLToPath(new URL(`../../fixtures/${kept}/`, import.meta.url));
const port = 18_700;
const url = `http://127.0.0.1:${port}`;

await rm(target, { recursive: true, force: true });
for (const run of RUNS) await keepRun(run);

async function keepRun({
  name,
  input,
  argv,
  again = [],
  env = {},
  config,
  isPiped = false,
  onlyPushed = false,
  code = 0,
  faults = ["status=401,skip=1"],
  begun = 5,
}) {
  const home = await mkdtemp(join(tmpdir(), "rec-push-old-runs-"));
  const file = join(home, input.name);
  await writeFile(file, Buffer.from(input.text, input.encoding ?? "utf8"));
  if (config !== undefined) await writeFile(join(home, "own.json"), config.replaceAll("BASE_URL", url));
  const own = {
    XDG_STATE_HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    REC_PUSH_URL: url,
    REC_PUSH_TOKEN: "sandbox",
    ...env,
  };
  const command = [isPiped ? "-" : input.name, ...argv, "--batch-size", "1", "--concurrency", "1"];
  const stdin = isPiped ? input.text : "";
  await withSandbox(
    faults.flatMap((fault) => ["--fault", fault]),
    () => rec(command, { cwd: home, env: own, stdin }, begun),
  );
  const directory = join(home, "rec-push", "runs");
  const [kept] = await readdir(directory);
  await mkdir(join(target, name), { recursive: true });
  for (const part of await readdir(join(directory, kept)))
    if (part !== "report.json") await cp(join(directory, kept, part), join(target, name, part));
  const journal = join(target, name, "journal");
  await writeFile(journal, withoutMachine(await readFile(journal, "utf8")));
  await cp(file, join(target, name, input.name));
  if (config !== undefined) await writeFile(join(target, name, "own.json"), `${config}\n`);
  const resume = onlyPushed ? command : ["resume", ...again];
  const held = await withSandbox([], async () => {
    await rec(resume, { cwd: home, env: own, stdin }, code);
    return (await fetch(`${url}/api/items/commandes/`)).json();
  });
  const about = { file: input.name, isPiped, command, again, env, onlyPushed, code };
  await writeFile(join(target, name, "run.json"), `${JSON.stringify(about, null, 2)}\n`);
  await writeFile(join(target, name, "held.json"), `${JSON.stringify(held, null, 2)}\n`);
  await rm(home, { recursive: true, force: true });
}

/** A journal that does not say on which machine its processes ran. */
function withoutMachine(journal) {
  const lines = journal.trimEnd().split("\n");
  let sum = 0;
  return lines
    .map((line) => {
      const entry = JSON.parse(line.slice(9));
      if (entry.process !== undefined)
        Object.assign(entry.process, { pid: 4242, host: "elsewhere", space: "boot/pid:[1]", startedAt: "1" });
      const text = JSON.stringify(entry);
      sum = crc32(text, sum);
      return `${sum.toString(16).padStart(8, "0")} ${text}\n`;
    })
    .join("");
}

async function withSandbox(faults, act) {
  const child = spawn(process.execPath, [bin, "sandbox", "--port", String(port), ...faults], {
    stdio: "pipe",
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  try {
    return await act();
  } finally {
    child.kill("SIGINT");
    await new Promise((resolve) => child.once("close", resolve));
  }
}

async function rec(argv, { cwd, env, stdin }, code) {
  const child = spawn(process.execPath, [bin, ...argv], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (text += bytes));
  child.stdin.end(stdin);
  const ended = await new Promise((resolve) => child.once("close", resolve));
  if (ended !== code)
    throw new Error(`${dirname(bin)}: exit ${ended} instead of ${code}: ${argv.join(" ")}\n${text}`);
}
