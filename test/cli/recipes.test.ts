import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../support/plain-server.ts";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { BIN } from "../support/run-process.ts";
import { makeDirectory } from "../support/temp-files.ts";

const TOPIC = await readFile("src/help/automation.md", "utf8");
const HAS_CURL = spawnSync("curl", ["--version"]).status === 0;
const HAS_SYSTEMD = spawnSync("systemd-analyze", ["--version"]).status === 0;
const GOOD = "cle;date_billed;actual_billable_amount\nA1;13/07/2016;1 437,50\n";
const BAD = "cle;date_billed\nA1;31/06/2016\n";

/** The topic's code block in this language that contains these words. */
function block(language: string, words: string): string {
  const blocks = [...TOPIC.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "gm"))].map(
    ([, text]) => text!,
  );
  return blocks.find((text) => text.includes(words))!;
}

/** A machine with an export where the recipes expect it; `npm install` puts rec-push into the path. */
async function openMachine(content: string) {
  const folder = await makeDirectory();
  const bin = join(folder, "bin");
  const { url, token } = await openSandbox();
  await mkdir(bin);
  await writeFile(join(folder, "orders.csv"), content);
  await writeFile(join(folder, "token"), token, { mode: 0o600 });
  const command = `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`;
  await writeFile(join(folder, "command"), command, { mode: 0o755 });
  const npm = `#!/bin/sh\n[ "$*" = "install --global ./rec-push-0.1.0.tgz" ] && cp '${folder}/command' '${bin}/rec-push'\n`;
  await writeFile(join(bin, "npm"), npm, { mode: 0o755 });
  const here = (text: string): string =>
    text
      .replaceAll(/\/srv\/(?:exports|reports)|\/etc\/rec-push/g, folder)
      .replaceAll("/usr/local/bin", bin)
      .replaceAll(/https:\/\/rec(?:ords)?\.example/g, url);
  const env = { HOME: makeStateHome() };
  const run = (script: string, more: Record<string, string> = {}) =>
    new Promise<{ code: number | null; mail: string }>((resolve) => {
      const options = { cwd: folder, env: { ...env, ...more } };
      const child = execFile("/bin/sh", ["-c", script], options, (_, stdout, stderr) =>
        resolve({ code: child.exitCode, mail: stdout + stderr }),
      );
    });
  const service = {
    PATH: `${bin}:/usr/bin:/bin`,
    REC_PUSH_URL: url,
    REC_PUSH_TOKEN_FILE: join(folder, "token"),
  };
  return { folder, here, run, service, token };
}

/** What the recipes ask to be done once: rec-push installed, and how the file is read kept. */
async function setUp({ run, service }: Awaited<ReturnType<typeof openMachine>>): Promise<void> {
  const [init = ""] = /rec-push init [^`]*/.exec(TOPIC) ?? [];
  const [install = ""] = /npm install --global [^`]*\.tgz/.exec(TOPIC) ?? [];
  const { code } = await run(`set -e\n${install}\n${init.replaceAll(/\s+/g, " ")} --yes --quiet`, service);
  expect(code).toBe(0);
}

describe("a recipe of the topic automation", () => {
  it("lets cron mail what needs someone, and nothing where all went well", async () => {
    const machine = await openMachine(GOOD);
    await setUp(machine);
    const lines = machine.here(block("cron", "MAILTO")).trim().split("\n");
    // Cron's own environment is HOME and what the table sets.
    const set = Object.fromEntries(
      lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/s)),
    ) as Record<string, string>;
    const command = lines.at(-1)!.replace(/^\S+ \S+ \S+ \S+ \S+ +/, "");
    expect(await machine.run(command, set)).toEqual({ code: 0, mail: "" });
    await writeFile(join(machine.folder, "orders.csv"), BAD);
    const { code, mail } = await machine.run(command, set);
    expect([code, mail]).toEqual([3, expect.stringContaining("there is no such day")]);
  });

  it("has steps for GitHub and GitLab that run as a shell and keep the state", async () => {
    const machine = await openMachine(GOOD);
    const { folder, run, service, token } = machine;
    await setUp(machine);
    const env = { PATH: service.PATH, REC_PUSH_URL: service.REC_PUSH_URL, REC_PUSH_TOKEN: token };
    for (const [words, step] of [
      ["runs-on", /^ +- run: (.*)$/gm],
      ["resource_group", /^ {4}- (.*)$/gm],
    ] as const) {
      const steps = [...block("yaml", words).matchAll(step)].map(([, command]) => command!);
      expect(steps).toHaveLength(2);
      const { code, mail } = await run(`set -e\n${steps.join("\n")}`, env);
      expect([code, mail]).toEqual([0, expect.stringContaining("1 row read: 1 accepted")]);
      expect(block("yaml", words)).toContain("state");
      expect(existsSync(join(folder, "state"))).toBe(true);
    }
  });

  it.skipIf(!HAS_CURL)(
    "pings a health check with the exit code (skipped where there is no curl)",
    async () => {
      const pings: (string | undefined)[] = [];
      const { url, close } = await startServer((request, _, response) => {
        pings.push(request.url);
        response.end("OK");
      });
      onTestFinished(close);
      const machine = await openMachine(GOOD);
      const { folder, here, run, service } = machine;
      await setUp(machine);
      const script = here(block("sh", "hc-ping")).replace("https://hc-ping.com", url);
      for (const [content, exit] of [
        [GOOD, 0],
        [BAD, 3],
      ] as const) {
        await writeFile(join(folder, "orders.csv"), content);
        expect((await run(script, service)).code).toBe(exit);
        expect(pings.splice(0)).toEqual([`/YOUR-CHECK/${exit}`]);
        expect(await readFile(join(folder, "orders.html"), "utf8")).toContain(`Exit ${exit}, after`);
      }
    },
  );

  it.skipIf(!HAS_SYSTEMD)(
    "passes systemd's own check (skipped where there is no systemd-analyze)",
    async () => {
      const folder = await makeDirectory();
      const [, service, timer] = block("ini", "[Timer]").split(/^; \S+\n/m);
      await writeFile(
        join(folder, "rec-push-orders.service"),
        service!.replace("/usr/local/bin/rec-push", "/bin/true"),
      );
      await writeFile(join(folder, "rec-push-orders.timer"), timer!);
      const files = ["service", "timer"].map((kind) => join(folder, `rec-push-orders.${kind}`));
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...files], { encoding: "utf8" });
      const ours = stderr.split("\n").filter((line) => line.includes("rec-push-orders"));
      expect([status, ours]).toEqual([0, []]);
    },
  );
});
