import { execFile } from "node:child_process";
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inspectSource } from "../../../src/read/inspect-source.ts";
import { openSource } from "../../../src/read/source/open-source.ts";
import type { Source } from "../../../src/read/source/source.ts";
import { join } from "../chunks.ts";

const FIXTURES = "fixtures/csv";
let directory = "";
const opened: Source[] = [];

async function open(path: string, stdin = ""): Promise<Source> {
  const source = await openSource(path, {
    stdin: () => Readable.from([Buffer.from(stdin)]),
    spoolDirectory: directory,
  });
  opened.push(source);
  return source;
}

beforeEach(async () => {
  directory = await mkdtemp(joinPath(tmpdir(), "rec-push-test-"));
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((source) => source.close()));
  await rm(directory, { recursive: true });
});

describe("opening a file", () => {
  it("gives the same bytes every time, also at once", async () => {
    const source = await open(`${FIXTURES}/decimal-comma.csv`);
    const [first, second] = await Promise.all([join(source.open()), join(source.open())]);
    expect(first.toString()).toContain("A2;Clavier;2,75");
    expect(second.equals(first)).toBe(true);
    expect(source.bytes).toBe(first.length);
  });

  it("still reads a file that is deleted meanwhile", async () => {
    const path = joinPath(directory, "orders.csv");
    await writeFile(path, "cle\nA1\n");
    const source = await open(path);
    await rm(path);
    expect((await join(source.open())).toString()).toBe("cle\nA1\n");
  });

  it.each([
    ["missing-file", `${FIXTURES}/no-such-file.csv`],
    ["directory", FIXTURES],
    ["empty", `${FIXTURES}/empty.csv`],
    ["empty", "/dev/null"],
    ["missing-file", `${FIXTURES}/empty.csv/inside.csv`],
  ])("refuses with %s: %s", async (code, path) => {
    await expect(open(path)).rejects.toMatchObject({ kind: "input", code, place: { file: path } });
  });

  it.skipIf(process.getuid?.() === 0)("refuses a file that may not be read", async () => {
    const path = joinPath(directory, "secret.csv");
    await writeFile(path, "cle\n");
    await chmod(path, 0);
    await expect(open(path)).rejects.toMatchObject({ kind: "input", code: "not-readable" });
  });
});

describe("an input that can be read only once", () => {
  it("is kept in a private file that closing removes", async () => {
    const source = await open("-", "cle\nA1\n");
    const [kept = ""] = await readdir(directory);
    expect((await stat(joinPath(directory, kept))).mode & 0o777).toBe(0o600);
    expect(source).toMatchObject({ name: "<stdin>", bytes: 7 });
    expect((await join(source.open())).toString()).toBe("cle\nA1\n");
    expect((await join(source.open())).toString()).toBe("cle\nA1\n");
    opened.pop();
    await source.close();
    expect(await readdir(directory)).toEqual([]);
  });

  it("leaves nothing behind where it is empty", async () => {
    await expect(open("-", "")).rejects.toMatchObject({ code: "empty", place: { file: "<stdin>" } });
    expect(await readdir(directory)).toEqual([]);
  });

  it("leaves nothing behind where reading it fails", async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from("cle\n");
      throw new Error("gone");
    }
    const opening = openSource("-", { stdin: broken, spoolDirectory: directory });
    await expect(opening).rejects.toMatchObject({ kind: "input", code: "not-readable" });
    expect(await readdir(directory)).toEqual([]);
  });

  it("is a fault of the machine where it cannot be kept", async () => {
    const stdin = () => Readable.from([Buffer.from("a")]);
    const opening = openSource("-", { stdin, spoolDirectory: joinPath(directory, "missing") });
    await expect(opening).rejects.toMatchObject({ kind: "machine", code: "cannot-spool" });
  });

  it.skipIf(process.platform === "win32")("may be a named pipe", async () => {
    const pipe = joinPath(directory, "pipe");
    await promisify(execFile)("mkfifo", [pipe]);
    const [source] = await Promise.all([open(pipe), writeFile(pipe, gzipSync("cle\nA1\n"))]);
    expect((await join(source.open())).toString()).toBe("cle\nA1\n");
    expect((await join(source.open())).toString()).toBe("cle\nA1\n");
  });
});

describe("packed files", () => {
  it("are known by their first bytes, not by their name", async () => {
    const source = await open(`${FIXTURES}/named-without-gz.csv`);
    expect((await join(source.open())).toString()).toBe("cle;libelle\nA1;Ecran\n");
  });

  it.each([
    ["truncated-gzip", "truncated.csv.gz"],
    ["damaged-gzip", "damaged.csv.gz"],
  ])("refuse with %s", async (code, file) => {
    const reading = open(`${FIXTURES}/${file}`).then((source) => join(source.open()));
    await expect(reading).rejects.toMatchObject({ kind: "input", code });
  });

  it.each([
    ["28b52ffd", "as zstd writes it"],
    ["502a4d18", "with the frame to be skipped that pzstd writes first"],
  ])("are refused with the command that unpacks them where zstd packed them: %s, %s", async (mark) => {
    const path = joinPath(directory, "the $& orders.csv.zst");
    await writeFile(path, Buffer.concat([Buffer.from(mark, "hex"), Buffer.alloc(20)]));
    const hint = expect.stringMatching(/: zstd -dc '\/.*the \$& orders\.csv\.zst' \| rec-push -$/) as string;
    const refused = { kind: "input", code: "not-a-table", hint };
    await expect(inspectSource(await open(path), {})).rejects.toMatchObject(refused);
  });

  it("can be left before their end", async () => {
    const path = joinPath(directory, "big.csv.gz");
    await writeFile(path, gzipSync(Buffer.alloc(2_000_000, "cle;montant\n")));
    const source = await open(path);
    for await (const chunk of source.open()) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(await join(source.open())).toHaveLength(2_000_000);
  });
});
