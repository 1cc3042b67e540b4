import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Asker } from "../../src/cli/run-settings.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** Types these lines, and records the prompts and whether each was hidden. */
function typing(...lines: (string | undefined)[]) {
  const prompts: string[] = [];
  const asker: Asker = {
    tell: () => undefined,
    async line(prompt, { isHidden = false } = {}) {
      prompts.push(isHidden ? `${prompt}(hidden)` : prompt);
      return lines.shift();
    },
  };
  return { prompts, openAsker: async () => asker };
}

async function openHome() {
  const home = await makeDirectory();
  const sandbox = await openSandbox();
  const env = { XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: join(home, "state") };
  const own = join(home, "config", "rec-push");
  const run = (argv: readonly string[], person?: ReturnType<typeof typing>, more: object = {}) =>
    runMain(argv, {
      cwd: home,
      others: "nothing",
      env: { ...env, ...more },
      ...(person === undefined ? {} : { openAsker: person.openAsker }),
    });
  return { home, own, sandbox, run };
}

describe("rec-push login", () => {
  it("asks for URL and token, tries them and keeps them, and a push needs nothing more", async () => {
    const { home, own, sandbox, run } = await openHome();
    const person = typing(sandbox.url, "t", sandbox.token, "");
    const { code, stdout, stderr } = await run(["login"], person);
    expect([code, stderr]).toEqual([0, ""]);
    expect(person.prompts).toContain("token, which is not shown: (hidden)");
    expect(stdout).toContain("to a question with the token from the keyboard;");
    expect(stdout).not.toContain(sandbox.token);
    expect(await readFile(join(own, "config.json"), "utf8")).not.toContain(sandbox.token);
    for (const name of ["config.json", "default.secret"])
      expect((await stat(join(own, name))).mode & 0o777).toBe(0o600);
    await writeFile(join(home, "a.csv"), "cle;num_commande\nA1;7\n");
    expect((await run([join(home, "a.csv"), "--table", "commandes"])).code).toBe(0);
    expect(heldBy(sandbox)).toEqual([{ cle: "A1", num_commande: "7" }]);
  });

  it.each(["a/b", "..", "two words"])(
    "refuses the name %j, whose secret would be elsewhere",
    async (name) => {
      const { sandbox, run } = await openHome();
      const { code, stderr } = await run(["login", name], typing(sandbox.url, "t", sandbox.token, ""));
      expect([code, stderr]).toEqual([2, expect.stringContaining("a profile cannot be named")]);
    },
  );

  it("takes a file in place of a token", async () => {
    const { home, own, sandbox, run } = await openHome();
    const file = join(home, "token");
    await writeFile(file, sandbox.token, { mode: 0o600 });
    const argv = ["login", "said", "--url", sandbox.url, "--token-file", file];
    expect((await run(argv, typing(""))).code).toBe(0);
    const { profiles } = JSON.parse(await readFile(join(own, "config.json"), "utf8")) as { profiles: object };
    expect(profiles).toEqual({ said: { url: sandbox.url, tokenFile: file } });
    expect(await readdir(own)).toEqual(["config.json"]);
  });

  it("keeps nothing that the service does not take", async () => {
    const { own, run } = await openHome();
    const { code, stderr } = await run(["login"], typing("http://127.0.0.1:9", "t", "secret-token", ""));
    expect(code).toBe(7);
    expect(stderr).toContain("nothing was written");
    await expect(readdir(own)).rejects.toThrow("ENOENT");
  });

  it("writes nothing after Ctrl-C", async () => {
    const { own, sandbox, run } = await openHome();
    expect((await run(["login"], typing(sandbox.url, undefined))).code).toBe(130);
    await expect(readdir(own)).rejects.toThrow("ENOENT");
  });

  it("names the variables where nobody is asked", async () => {
    const { run } = await openHome();
    const { code, stderr } = await run(["login"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("set REC_PUSH_URL and REC_PUSH_TOKEN")]);
  });
});

describe("rec-push logout", () => {
  it("removes a profile with the secret that a login kept", async () => {
    const { own, sandbox, run } = await openHome();
    const before = await run(["login", "prod"], typing(sandbox.url, "t", sandbox.token, ""));
    expect(before.code).toBe(0);
    expect((await run(["logout"])).code).toBe(2);
    const other = await run(["logout", "other"]);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("it has prod\n")]);
    expect((await run(["logout", "prod"])).stdout).toBe("removed the profile prod and its secret\n");
    expect(await readdir(own)).toEqual(["config.json"]);
    expect((await run(["logout", "prod"])).stderr).toContain("it has none\n");
  });
});

describe("a push without a service", () => {
  it("says in one message that URL and token are missing, and names login and the sandbox", async () => {
    const { home, run } = await openHome();
    await writeFile(join(home, "a.csv"), "cle;num_commande\nA1;7\n");
    const { code, stderr } = await run([join(home, "a.csv"), "--table", "commandes"]);
    expect(code).toBe(2);
    expect(stderr).toContain("no service to push to, and no access token");
    expect(stderr).toContain("rec-push login");
    expect(stderr).toContain("--sandbox");
  });
});
