import { execFile } from "node:child_process";
import { mkdtemp, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inspectSource } from "../../../src/read/inspect-source.ts";
import { readRows } from "../../../src/read/read-rows.ts";
import { type ContentProof, createProofWriter, prove } from "../../../src/read/source/block-proof.ts";
import { openSource } from "../../../src/read/source/open-source.ts";
import { readFrom, unreadable } from "../../../src/read/source/read-from.ts";
import type { Source } from "../../../src/read/source/source.ts";
import { makeDirectory } from "../../support/temp-files.ts";
import { cutBytesAt, join, sourceOf } from "../chunks.ts";

const FIXTURES = "fixtures/csv";
let directory = "";
const opened: Source[] = [];

async function openHere(path: string, stdin = ""): Promise<Source> {
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
    const source = await openHere(`${FIXTURES}/decimal-comma.csv`);
    const [first, second] = await Promise.all([join(source.open()), join(source.open())]);
    expect(first.toString()).toContain("A2;Clavier;2,75");
    expect(second.equals(first)).toBe(true);
    expect(source.bytes).toBe(first.length);
  });

  it("still reads a file that is deleted meanwhile", async () => {
    const path = joinPath(directory, "orders.csv");
    await writeFile(path, "cle\nA1\n");
    const source = await openHere(path);
    await rm(path);
    expect((await join(source.open())).toString()).toBe("cle\nA1\n");
  });

  it.each([
    ["missing-file", `${FIXTURES}/no-such-file.csv`],
    ["directory", FIXTURES],
    ["empty", "/dev/null"],
    ["missing-file", `${FIXTURES}/empty.csv/inside.csv`],
  ])("refuses with %s: %s", async (code, path) => {
    await expect(openHere(path)).rejects.toMatchObject({ kind: "input", code, place: { file: path } });
  });
});

it.each([
  ["EACCES", "this user may not read the file"],
  ["EPERM", "this user may not read the file"],
  ["EIO", "the file cannot be read: why"],
])("a file whose reading fails with %s is an input that cannot be read", (code, said) => {
  expect(unreadable("a.csv", Object.assign(new Error("why"), { code }))).toMatchObject({
    kind: "input",
    code: "not-readable",
    message: expect.stringContaining(`a.csv: ${said}`) as string,
  });
});

describe("an input that can be read only once", () => {
  it("is kept in a private file that closing removes", async () => {
    const source = await openHere("-", "cle\nA1\n");
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
    await expect(openHere("-", "")).rejects.toMatchObject({ code: "empty", place: { file: "<stdin>" } });
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
    const [source] = await Promise.all([openHere(pipe), writeFile(pipe, gzipSync("cle\nA1\n"))]);
    expect((await join(source.open())).toString()).toBe("cle\nA1\n");
    expect((await join(source.open())).toString()).toBe("cle\nA1\n");
  });
});

describe("packed files", () => {
  it("are known by their first bytes, not by their name", async () => {
    const source = await openHere(`${FIXTURES}/named-without-gz.csv`);
    expect((await join(source.open())).toString()).toBe("cle;libelle\nA1;Ecran\n");
  });

  it.each([
    ["28b52ffd", "as zstd writes it"],
    ["502a4d18", "with the frame to be skipped that pzstd writes first"],
  ])("are refused with the command that unpacks them where zstd packed them: %s, %s", async (mark) => {
    const path = joinPath(directory, "the $& orders.csv.zst");
    await writeFile(path, Buffer.concat([Buffer.from(mark, "hex"), Buffer.alloc(20)]));
    const hint = expect.stringMatching(/: zstd -dc '\/.*the \$& orders\.csv\.zst' \| rec-push -$/) as string;
    const refused = { kind: "input", code: "not-a-table", hint };
    await expect(inspectSource(await openHere(path), {})).rejects.toMatchObject(refused);
  });

  it("can be left before their end", async () => {
    const path = joinPath(directory, "big.csv.gz");
    await writeFile(path, gzipSync(Buffer.alloc(2_000_000, "cle;montant\n")));
    const source = await openHere(path);
    for await (const chunk of source.open()) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(await join(source.open())).toHaveLength(2_000_000);
  });
});

const CHUNK_BYTES = 524_288;

async function fileOf(bytes: Uint8Array): Promise<string> {
  const path = joinPath(await makeDirectory(), "orders.csv");
  await writeFile(path, bytes);
  return path;
}

/** Bytes that tell where they stand. */
function numbered(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
}

describe("the bytes of an open file", () => {
  it("come whole and in order, lent or not", async () => {
    for (const length of [0, 1, CHUNK_BYTES, 2 * CHUNK_BYTES, 3 * CHUNK_BYTES + 1000]) {
      const bytes = numbered(length);
      const path = await fileOf(bytes);
      for (const lends of [true, false]) {
        const handle = await open(path);
        const read: Buffer[] = [];
        // What is lent is copied before the next is asked for.
        for await (const chunk of readFrom(handle.fd, path, { lends })) read.push(Buffer.from(chunk));
        await handle.close();
        expect(Buffer.concat(read).equals(bytes)).toBe(true);
      }
    }
  });

  it("stay what they are until the next chunk is asked for, however late that is", async () => {
    const bytes = numbered(5 * CHUNK_BYTES);
    const path = await fileOf(bytes);
    const handle = await open(path);
    let at = 0;
    for await (const chunk of readFrom(handle.fd, path, { lends: true })) {
      // The chunk behind it is read meanwhile.
      await handle.read(Buffer.alloc(8), 0, 8, 0);
      await handle.stat();
      expect(chunk.equals(bytes.subarray(at, at + chunk.length))).toBe(true);
      at += chunk.length;
    }
    await handle.close();
    expect(at).toBe(bytes.length);
  });
});

function proofOf(bytes: Buffer, blockBytes: number): ContentProof {
  const writer = createProofWriter(blockBytes);
  writer.add(bytes);
  return writer.finish();
}

async function readProven(
  bytes: Buffer,
  size: number,
  proof: ContentProof,
): Promise<{ read: Buffer; error: unknown }> {
  const read: Buffer[] = [];
  try {
    for await (const piece of prove(cutBytesAt(bytes, size), proof, "orders.csv"))
      read.push(Buffer.from(piece));
    return { read: Buffer.concat(read), error: undefined };
  } catch (error) {
    return { read: Buffer.concat(read), error };
  }
}

describe("the proof of a source", () => {
  it("hands on all bytes of an unchanged source at any chunk size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), fc.nat(9), async (values, size) => {
        const bytes = Buffer.from(values);
        expect(await readProven(bytes, size, proofOf(bytes, 8))).toEqual({ read: bytes, error: undefined });
      }),
    );
  });

  it("never hands on a byte of a block that changed", async () => {
    const bytes = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz");
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(9), async (at, size) => {
        const changed = Buffer.from(bytes);
        changed[at] = 0;
        const { read, error } = await readProven(changed, size, proofOf(bytes, 8));
        expect(error).toMatchObject({ kind: "input", code: "source-changed" });
        expect(read.equals(bytes.subarray(0, Math.floor(at / 8) * 8))).toBe(true);
      }),
    );
  });

  it.each([
    ["shorter by a byte", "0123456789abcde"],
    ["longer by a byte", "0123456789abcdefg"],
    ["empty", ""],
    ["the same blocks in another order", "89abcdef01234567"],
  ])("stops where the source became %s", async (_, now) => {
    const before = Buffer.from("0123456789abcdef");
    const { read, error } = await readProven(Buffer.from(now), 3, proofOf(before, 8));
    expect(error).toMatchObject({ code: "source-changed" });
    expect(before.subarray(0, read.length).equals(read)).toBe(true);
  });

  it.each([
    ["UTF-8", Buffer.from("A1;Cl\u00e9"), Buffer.from([0xff, 0x81])],
    ["windows-1252", Buffer.from("A1;Cl\u00e9", "latin1"), Buffer.from("A1;Cl\u0081", "latin1")],
    ["ASCII that is ASCII still", Buffer.from("A1;Cle"), Buffer.from("A1;Clo")],
  ])("of %s stops before other bytes, whether they can be decoded or not", async (_, before, now) => {
    const source = sourceOf(Buffer.concat([Buffer.from("cle;libelle\n"), before]));
    const inspection = await inspectSource(source, {});
    source.swap(Buffer.concat([Buffer.from("cle;libelle\n"), now]));
    const reading = join(readRows(source, inspection, {}) as never);
    await expect(reading).rejects.toMatchObject({ kind: "input", code: "source-changed" });
  });
});
