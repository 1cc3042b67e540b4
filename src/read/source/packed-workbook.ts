import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { RecPushError } from "../../model/failure.ts";
import { throwIfInterrupted } from "../../model/interruption.ts";
import { quoteWord } from "../../model/refer-to-sheets.ts";
import { inputError } from "../input-error.ts";
import { type WorkbookContext, workbookSource } from "../xlsx/workbook-source.ts";
import { readPart } from "../zip/read-stretch.ts";
import { kindOfZip, readZipDirectory, type ZipKind } from "../zip/zip-directory.ts";
import { CopyBounds } from "./copy-bounds.ts";
import type { OpenFile } from "./open-source.ts";
import type { Source } from "./source.ts";
import { spool } from "./spool.ts";

const ZIP = Buffer.from("PK\x03\x04", "latin1");

/**
 * The source of a workbook that is packed once more, in a `.gz` or `.zip`: a zip archive is read from its end, so that
 * it is unpacked into a private file first. `undefined` if the content is no workbook, or cannot be unpacked.
 */
export async function packedWorkbook(
  file: OpenFile,
  content: () => AsyncIterable<Buffer>,
  context: WorkbookContext,
): Promise<Source | undefined> {
  if (!(await beginsAsZip(content()))) return undefined;
  const { name } = file;
  const bounds = new CopyBounds(name, context.spoolDirectory, context.maxInputBytes);
  const copy = await spool(untilStopped(content(), context.stop), context.spoolDirectory, bounds).catch(
    passDamage,
  );
  if (copy === undefined) return undefined;
  try {
    const zip = { fd: copy.handle.fd, name, bytes: copy.bytes, stop: context.stop };
    const entries = await readZipDirectory(zip).catch(passDamage);
    const kind = entries === undefined ? "archive" : kindOfZip(entries);
    if (entries === undefined || kind === "archive") {
      await copy.remove();
      return undefined;
    }
    if (kind !== "workbook") throw refuseKind(name, kind);
    const source = workbookSource(zip, entries, context);
    const close = source.close.bind(source);
    return Object.defineProperties(source, {
      bytes: { value: file.bytes },
      close: {
        value: async () => {
          await close();
          await copy.remove();
        },
      },
    });
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

async function beginsAsZip(content: AsyncIterable<Buffer>): Promise<boolean> {
  let head = Buffer.alloc(0);
  try {
    for await (const piece of content) {
      head = Buffer.concat([head, piece.subarray(0, ZIP.length)]);
      if (head.length >= ZIP.length) break;
    }
  } catch (error) {
    passDamage(error);
  }
  return head.subarray(0, ZIP.length).equals(ZIP);
}

/** What is damaged is told when it is read. */
function passDamage(error: unknown): undefined {
  if (error instanceof RecPushError && error.kind === "input" && error.code !== "too-long") return undefined;
  throw error;
}

async function* untilStopped(
  pieces: AsyncIterable<Buffer>,
  stop: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    if (stop !== undefined) throwIfInterrupted(stop);
    yield piece;
  }
}

/** The error for a document that is a zip archive and no table. */
export function refuseKind(file: string, kind: Exclude<ZipKind, "archive">): RecPushError {
  const what = {
    workbook: "an Excel workbook (.xlsx)",
    "binary workbook": "a binary Excel workbook (.xlsb)",
    OpenDocument: "an OpenDocument file (.ods)",
    "other document": "a document in parts (.docx, .pptx, .numbers)",
  }[kind];
  return inputError({ file }, "not-a-table", `this is ${what}, not CSV, JSON or .xlsx`, {
    hint: "save it as .xlsx, or as CSV (UTF-8), and push that",
  });
}

/** The error for a file that zstd packed, which `zstd` itself unpacks into the command. */
export function refuseZstd(file: string): RecPushError {
  const path = file === "<stdin>" ? "FILE" : quoteWord(file.startsWith("-") ? `./${file}` : file);
  return inputError({ file }, "not-a-table", "this is a zstd file, not CSV, JSON, .xlsx, .gz or .zip", {
    hint: `give it unpacked, with the other options of this command: zstd -dc ${path} | rec-push -`,
  });
}

const UNPACKED_CHUNK_BYTES = 65_536;

/**
 * Unpacks while reading: all members of the file, one after the other (RFC 1952 section 2.2). Throws an input error if the
 * packed bytes end early or are damaged.
 */
export async function* unpackGzip(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES });
  const packed = Readable.from(chunks, { objectMode: false });
  packed.on("error", (error) => stream.destroy(error));
  packed.pipe(stream);
  try {
    for await (const chunk of stream) {
      yield chunk as Buffer;
    }
  } catch (error) {
    throw asUnpackError(error, file);
  } finally {
    packed.destroy();
    stream.destroy();
  }
}

function asUnpackError(error: unknown, file: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!/^(Z_|ERR_ZLIB)/.test(code)) {
    return error;
  }
  const isTruncated = code === "Z_BUF_ERROR";
  return inputError(
    { file },
    isTruncated ? "truncated-gzip" : "damaged-gzip",
    isTruncated ? "the file ends before its gzip data is complete" : "the gzip data is damaged",
    { hint: "copy or export the file again", cause: error },
  );
}

/** The directory begins with the names of the files in the order in which they were made. */
const DIRECTORY_BYTES = 4096;
const ENCRYPTED = Buffer.from("EncryptedPackage", "utf16le");

/** Why a compound file is not read. */
export async function describeCompound(
  { fd, name }: { readonly fd: number; readonly name: string },
  head: Buffer,
): Promise<RecPushError> {
  const sectorBytes = 2 ** Math.min(head.readUInt16LE(30), 16);
  const directory = await readPart(fd, (head.readUInt32LE(48) + 1) * sectorBytes, DIRECTORY_BYTES);
  if (directory.includes(ENCRYPTED)) {
    return inputError({ file: name }, "encrypted", "the workbook is protected by a password", {
      hint: "open it in Excel, save it without a password and push that",
    });
  }
  return inputError(
    { file: name },
    "not-a-table",
    "this is an old Excel workbook (.xls), not CSV, JSON or .xlsx",
    {
      hint: "save it as .xlsx, or as CSV (UTF-8), and push that",
    },
  );
}
