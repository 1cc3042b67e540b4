import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { loadIconv } from "../../src/read/text/decode.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const encode = (text: string, encoding: string): Buffer => loadIconv().encode(text, encoding);

const ORDERS = "cle;libelle\nA1;Société générale\nA2;Qualité supérieure\nA3;Été à la mer\n";
const TEXTS = ["Société générale", "Qualité supérieure", "Été à la mer"];
const textsOf = (stdout: string): unknown[] =>
  stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as Record<string, unknown>)["libelle"]);

describe("a push of text in a code page", () => {
  it.each([
    ["from a file", (bytes: Buffer) => bytes],
    ["packed", gzipSync],
  ])("sends windows-1252 %s as it was written, and prints the pin", async (_, pack) => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", pack(encode(ORDERS, "windows-1252")));
    const { code, stderr } = await pushTo(sandbox, [file]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("--encoding windows-1252")]);
    expect(heldBy(sandbox).map((record) => record["libelle"])).toEqual(TEXTS);
  });

  it.each([
    ["cp850", (bytes: Buffer) => bytes],
    ["cp850", gzipSync],
    ["macroman", (bytes: Buffer) => bytes],
  ])("in %s sends nothing before the encoding is named as it is printed", async (encoding, pack) => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", pack(encode(ORDERS, encoding)));
    const { code, stderr } = await pushTo(sandbox, [file]);
    expect([code, heldBy(sandbox)]).toEqual([3, []]);
    const [, option = ""] = /^ {2}--encoding (\S+) or /m.exec(stderr) ?? [];
    expect(option).toBe(encoding);
    expect((await pushTo(sandbox, [file, "--encoding", option])).code).toBe(0);
    expect(heldBy(sandbox).map((record) => record["libelle"])).toEqual(TEXTS);
  });

  it.each([
    ["cp850", (bytes: Buffer) => bytes, ["--encoding", "cp850"]],
    ["windows-1252", (bytes: Buffer) => bytes, []],
    ["cp850", gzipSync, ["--encoding", "cp850"]],
  ])("in %s is read from standard input, %#", async (encoding, pack, options) => {
    const stdin = pack(encode(ORDERS, encoding));
    const { code, stdout } = await runMain(["check", "-", "--records", "-", ...options], { stdin });
    expect([code, textsOf(stdout)]).toEqual([0, TEXTS]);
  });

  it("is refused where a byte order mark says otherwise, naming the config if that has the encoding", async () => {
    const cwd = await makeDirectory();
    const file = join(cwd, "a.csv");
    await writeFile(file, `\u{feff}${ORDERS}`);
    const line = ["check", file, "-t", "commandes", "--delimiter", ";"];
    const typed = await runMain([...line, "--encoding", "windows-1252"], { cwd });
    expect(typed.stderr).toContain("says utf-8, --encoding says windows-1252\n  leave --encoding out, or");
    const config = join(cwd, "rec-push.config.json");
    await writeFile(config, '{"tables":{"commandes":{"encoding":"windows-1252"}}}', { mode: 0o644 });
    const configured = await runMain(line, { cwd });
    expect(configured).toMatchObject({ code: 3 });
    expect(configured.stderr).toContain("a byte order mark says utf-8, the config says windows-1252");
    const [, advised = ""] = /add (--encoding \S+),/.exec(configured.stderr) ?? [];
    expect((await runMain([...line, ...advised.split(" ")], { cwd })).code).toBe(0);
  });

  it("stops where the encoding is not certain, and each option that it prints settles it", async () => {
    const file = await makeFile("a.csv", encode("cle;libelle\nA1;ŁÓDŹ\n", "windows-1250"));
    const { code, stderr } = await runMain(["check", file]);
    expect(code).toBe(3);
    const options = [...stderr.matchAll(/--encoding (["']?)([\w-]+!?)\1(?= or |;)/g)].map(
      ([, , name]) => name!,
    );
    expect(options).toHaveLength(4);
    for (const option of options) {
      const read = await runMain(["check", file, "--encoding", option, "--records", "-"]);
      expect(stderr).toContain(`A1;${String(textsOf(read.stdout)[0])}`);
    }
  });

  it("with --pinned stops, and goes on with what is printed", async () => {
    const file = await makeFile("a.csv", encode(ORDERS, "windows-1252"));
    const unpinned = await runMain(["check", file, "--delimiter", ";", "--pinned"]);
    expect([unpinned.code, unpinned.stderr]).toEqual([3, expect.stringContaining("--encoding windows-1252")]);
    const encoding = ["--encoding", "windows-1252"];
    const pinned = await runMain(["check", file, "--delimiter", ";", ...encoding, "--pinned"]);
    expect(pinned.code).toBe(0);
  });
});

describe("--encoding windows-1252 for a file in UTF-8", () => {
  it("sends nothing, and shows the line in both", async () => {
    const sandbox = await openSandbox();
    const { code, stderr } = await pushTo(sandbox, [
      await makeFile("a.csv", ORDERS),
      "--encoding",
      "windows-1252",
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain("windows-1252: A1;SociÃ©tÃ©");
    expect(stderr).toContain("utf-8:        A1;Société");
    expect(heldBy(sandbox)).toEqual([]);
  });

  it("with ! is followed, and stays in the command for mended rejects and in the config of init", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle;libelle;date_billed\nA1;Thé;2016-07-05\nA2;Café;x\n");
    const forced = ["--encoding", "windows-1252!"];
    const skip = ["--on-invalid", "skip", "--rejects", join(await makeDirectory(), "r.csv")];
    const { code, stdout } = await pushTo(sandbox, [file, ...forced, ...skip]);
    expect(code).toBe(4);
    expect(heldBy(sandbox).map((record) => record["libelle"])).toEqual(["ThÃ©"]);
    expect(stdout).toMatch(/--encoding '?windows-1252!/);

    const config = join(await makeDirectory(), "rec-push.config.json");
    const good = await makeFile("b.csv", ORDERS);
    const init = await runMain(["init", good, "--table", "commandes", ...forced, "--config", config]);
    expect(init).toMatchObject({ code: 0 });
    expect(await readFile(config, "utf8")).toContain('"encoding": "windows-1252!"');
    const read = ["check", good, "--table", "commandes", "--config", config, "--records", "-"];
    expect((await runMain(read)).stdout).toContain("SociÃ©tÃ©");
  });
});
