import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runMain } from "../support/run-main.ts";
import { makeDirectory } from "../support/temp-files.ts";

const say = async (...argv: string[]) => {
  const { code, stderr } = await runMain(argv, { cwd: await makeDirectory(), others: "nothing" });
  expect(code).toBe(2);
  return stderr;
};

describe("a word that is nearly a command", () => {
  it.each([
    [["chek", "a.csv"], "check"],
    [["resum"], "resume"],
    [["--json", "snadbox"], "sandbox"],
    [["-t", "check", "pus"], "push"],
    [["hlep"], "help"],
  ])("%j names %s", async (argv, command) => {
    expect(await say(...argv)).toContain(`did you mean rec-push ${command}?`);
  });

  it.each([[["orders"]], [["./chek"]], [["chek.csv"]], [["--", "chek"]]])("%j is a file", async (argv) => {
    const { stderr } = await runMain(["--table", "t", "--sandbox", ...argv], { cwd: await makeDirectory() });
    expect(stderr).not.toContain("did you mean");
  });

  it.each([
    ["chekc", "did you mean rec-push check?"],
    ["frobnicate", "rec-push help lists the commands"],
  ])("%s, alone on the line, is reported to be no file either", async (word, hint) => {
    const stderr = await say(word);
    expect(stderr).toContain(`${word} is neither a file nor a command`);
    expect(stderr).toContain(hint);
  });

  it("is a file where there is one", async () => {
    const cwd = await makeDirectory();
    await writeFile(join(cwd, "chek"), "x");
    expect((await runMain(["chek"], { cwd })).stderr).toContain("no table");
  });

  it("is the version where it is the whole line", async () => {
    const { code, stdout } = await runMain(["version"], { cwd: await makeDirectory(), others: "nothing" });
    expect([code, stdout]).toEqual([0, (await runMain(["--version"], { others: "nothing" })).stdout]);
  });
});

describe("an option that people try first", () => {
  it.each([
    ["--token=abcdefgh", "REC_PUSH_TOKEN", "--token-file"],
    ["--password=abcdefgh", "REC_PUSH_TOKEN", "--token-file"],
    ["--client-secret=abcdefgh", "REC_PUSH_CLIENT_SECRET", "clientSecretFile"],
    ["--dry-run", "rec-push check FILE"],
  ])("%s names what there is instead", async (flag, ...ours) => {
    const said = await say("a.csv", "-t", "t", flag);
    for (const word of ours) expect(said).toContain(word);
    expect(said).not.toContain("abcdefgh");
    expect(said).not.toContain("Did you mean");
  });

  it("of another tool is unknown, without its value", async () => {
    const said = await say("a.csv", "-t", "t", "--user=me:abcdefgh");
    expect(said).toContain("unknown option '--user");
    expect(said).not.toContain("abcdefgh");
  });
});
