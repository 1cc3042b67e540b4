import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecPushError } from "../../../src/model/failure.ts";
import { openSource } from "../../../src/read/source/open-source.ts";
import { makeFile } from "../../support/temp-files.ts";
import { zipOf } from "../../support/zip.ts";
import { join } from "../chunks.ts";
import { draws } from "../../support/draws.ts";

const CSV = "cle,state\nA,open\n".repeat(20);

async function unpack(bytes: Buffer, name = "orders.zip"): Promise<string> {
  const source = await openSource(await makeFile(name, bytes), {
    stdin: () => Readable.from([]),
    spoolDirectory: "",
  });
  try {
    const first = await join(source.open());
    expect((await join(source.open())).equals(first)).toBe(true);
    return first.toString();
  } finally {
    await source.close();
  }
}

describe("a zip archive", () => {
  const table = { name: "export/orders.csv", data: CSV };
  const folder = { name: "export/", data: "" };
  const lines = { name: "lines.csv", data: "a" };

  it.each([
    ["deflated", [table], {}],
    ["stored", [{ ...table, method: 0 }], {}],
    ["with 64-bit sizes", [table], { isLarge: true }],
    ["with sizes after the data, and a comment", [table], { isStreamed: true, comment: "PK\u0005\u0006" }],
    ["beside what other programs add", [folder, { name: "__MACOSX/._orders.csv", data: "x" }, table], {}],
  ])("gives its table, %s", async (_, parts, style) => {
    expect(await unpack(zipOf(parts, style))).toBe(CSV);
  });

  it.each([
    ["two files", [table, lines], "zip-members", "2 files: export/orders.csv, lines.csv"],
    ["no file", [], "zip-members", "no file"],
    ["a wrong checksum", [{ ...table, crc: 1 }], "damaged-file", "(CRC-32) of export/orders.csv is wrong"],
    ["more than it says", [{ ...table, bytes: CSV.length - 1 }], "damaged-file", "another size"],
    ["two files of one name", [table, table], "damaged-file", "two files named"],
    ["a password", [{ ...table, isEncrypted: true }], "unsupported-zip", "protected by a password"],
    ["a rare method", [{ ...table, method: 14 }], "unsupported-zip", "method 14"],
  ])("stops the run if it has %s", async (_, parts, code, what) => {
    await expect(unpack(zipOf(parts))).rejects.toMatchObject({
      kind: "input",
      code,
      message: expect.stringContaining(what) as string,
    });
  });

  it("stops the run if it is larger than 4 GiB", async () => {
    const bytes = zipOf([table]);
    bytes.writeUInt32LE(0xffffffff, bytes.length - 6);
    const message = expect.stringContaining("larger than 4 GiB") as string;
    await expect(unpack(bytes)).rejects.toMatchObject({ kind: "input", code: "zip-members", message });
  });

  it("gives its own bytes, or none, whatever is changed in it", async () => {
    const whole = zipOf([table]);
    const bytes = fc.record({ at: fc.nat(whole.length - 1), to: fc.nat(255), cut: fc.nat(whole.length) });
    await fc.assert(
      fc.asyncProperty(bytes, fc.boolean(), async ({ at, to, cut }, isCut) => {
        const changed = Buffer.from(isCut ? whole.subarray(0, cut + 4) : whole);
        if (!isCut) changed[at] = to;
        // Without its first bytes the file is no archive.
        if (changed.subarray(0, 4).toString("latin1") !== "PK\u0003\u0004") return;
        const read = await unpack(changed).catch((error: unknown) => error);
        expect(isRefusal(read) ? CSV : read).toBe(CSV);
      }),
      draws(60),
    );
  });
});

describe("a gzip file", () => {
  it("gives all its members", async () => {
    const bytes = Buffer.concat([gzipSync("cle\n"), gzipSync(""), gzipSync("A\n")]);
    expect(await unpack(bytes, "orders.csv.gz")).toBe("cle\nA\n");
  });

  it("stops the run if a later member is damaged or cut", async () => {
    const bytes = Buffer.concat([gzipSync("cle\n"), gzipSync(CSV)]);
    await expect(unpack(bytes.subarray(0, -3))).rejects.toMatchObject({ code: "damaged-file" });
    bytes[bytes.length - 6]! ^= 1;
    await expect(unpack(bytes)).rejects.toMatchObject({ code: "damaged-file" });
  });
});

function isRefusal(read: unknown): boolean {
  return read instanceof RecPushError && read.kind === "input";
}
