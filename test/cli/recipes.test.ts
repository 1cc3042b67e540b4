import { execFile, spawnSync } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { BIN } from "../support/run-process.ts";
import { makeDirectory } from "../support/temp-files.ts";

const README = await readFile("README.md", "utf8");
const HAS_CURL = spawnSync("curl", ["--version"]).status === 0;
const HAS_SYSTEMD = spawnSync("systemd-analyze", ["--version"]).status === 0;
const GOOD = "cle;date_billed;actual_billable_amount\nA1;13/07/2016;1 437,50\n";
const BAD = "cle;date_billed\nA1;31/06/2016\n";

/** README's code block in this language that contains these words. */
function block(language: string, words: string): string {
  const blocks = [...README.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "gm"))].map(
    ([, text]) => text!,
  );
  return blocks.find((text) => text.includes(words))!;
}

/** A directory with rec-push in the path and an export where the recipes expect it. */
async function openMachine(content: string) {
  const folder = await makeDirectory();
  const { url, token } = await openSandbox();
  await writeFile(join(folder, "orders.csv"), content);
  await writeFile(join(folder, "token"), token, { mode: 0o600 });
  await writeFile(join(folder, "rec-push"), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  await chmod(join(folder, "rec-push"), 0o755);
  const here = (text: string): string =>
    text.replaceAll(/\/srv\/(?:exports|reports)|\/etc\/rec-push/g, folder);
  const env = { PATH: `${folder}:${process.env["PATH"]}`, HOME: makeStateHome(), REC_PUSH_URL: url };
  const run = (script: string, more: Record<string, string>) =>
    new Promise<{ code: number | null; mail: string }>((resolve) => {
      const child = execFile("/bin/sh", ["-c", script], { env: { ...env, ...more } }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode, mail: stdout + stderr }),
      );
    });
  return { folder, here, run, token: join(folder, "token") };
}

describe("a recipe of README", () => {
  it.each([
    ["nothing where all went well", GOOD, 0, /^$/],
    ["what needs someone", BAD, 3, /31 June is not a date/],
  ])("lets cron mail %s", async (_, content, exit, mail) => {
    const { here, run, token } = await openMachine(content);
    const pinned = block("cron", "MAILTO");
    const line = pinned.split("\n").find((text) => text.includes("rec-push /srv"))!;
    // The file is UTF-8 and has keys, as the options of the line say.
    const command = here(line.replace(/^\S+ \S+ \S+ \S+ \S+ +/, "")).replace(
      "windows-1252",
      "utf-8 --delimiter ';'",
    );
    const result = await run(command, { REC_PUSH_TOKEN_FILE: token });
    expect(result).toEqual({ code: exit, mail: expect.stringMatching(mail) as string });
  });

  it.skipIf(!HAS_CURL).each([
    [GOOD.replaceAll(";", ","), 0],
    [BAD, 3],
  ])(
    `pings a health check with the exit code (skipped where there is no curl): %j`,
    async (content, code) => {
      const pings: (string | undefined)[] = [];
      const server = createServer((request, response) => {
        pings.push(request.url);
        response.end("OK");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const { folder, here, run, token } = await openMachine(content.replace("1 437,50", "1437.50"));
      const script = here(block("sh", "hc-ping")).replace("https://hc-ping.com", `http://127.0.0.1:${port}`);
      expect((await run(script, { REC_PUSH_TOKEN_FILE: token })).code).toBe(code);
      expect(pings).toEqual([`/YOUR-CHECK/${code}`]);
      expect(await readFile(join(folder, "orders.html"), "utf8")).toContain(
        code === 0 ? "Exit 0, after" : "Exit 3, after",
      );
    },
  );

  it.skipIf(!HAS_SYSTEMD)(
    "passes systemd's own check (skipped where there is no systemd-analyze)",
    async () => {
      const folder = await makeDirectory();
      const [, service, timer] = block("ini", "[Timer]").split(/^; \S+\n/m);
      await writeFile(
        join(folder, "rec-push-orders.service"),
        service!.replace("/usr/bin/rec-push", "/bin/true"),
      );
      await writeFile(join(folder, "rec-push-orders.timer"), timer!);
      const files = ["service", "timer"].map((kind) => join(folder, `rec-push-orders.${kind}`));
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...files], { encoding: "utf8" });
      const ours = stderr.split("\n").filter((line) => line.includes("rec-push-orders"));
      expect([status, ours]).toEqual([0, []]);
    },
  );
});
