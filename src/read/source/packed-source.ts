import { createGunzip } from "node:zlib";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { type WorkbookContext, workbookSource } from "../xlsx/workbook-source.ts";
import { kindOfZip, openTable, readZipDirectory, unpack } from "../zip/zip-directory.ts";
import { beginsAsZip, type FileKind, sourceOf } from "./open-source.ts";
import { readFrom } from "./read-from.ts";
import type { Source, StoredFile } from "./source.ts";
import { spool } from "./spool.ts";

/** The source of an archive or a packed file. This module is loaded only for those. */
export async function sourceOfKind(
  file: StoredFile,
  kind: FileKind,
  context: WorkbookContext | undefined,
): Promise<Source> {
  const { fd, name } = file;
  if (kind === "gzip") return packedSource(file, () => unpackGzip(readFrom(fd, name), name), context);
  const entries = await readZipDirectory(file);
  if (kindOfZip(entries, name) === "archive")
    return packedSource(file, () => openTable(file, entries), context);
  if (context === undefined) throw notATable(name, "an Excel workbook (.xlsx)");
  return workbookSource({ ...file, stop: context.stop }, entries, context, file);
}

/**
 * The source of the content of a packed file. A workbook is copied first, because it is read from its end; without a
 * context a workbook is taken for any other file.
 */
async function packedSource(
  file: StoredFile,
  open: () => AsyncIterable<Buffer>,
  context: WorkbookContext | undefined,
): Promise<Source> {
  const { name } = file;
  if (context === undefined || !(await holdsZip(open()))) return sourceOf(file, true, open);
  const copy = await spool(open(), { ...context, name });
  try {
    const entries = await readZipDirectory(copy);
    if (kindOfZip(entries, name) === "archive") throw notATable(name, "a packed file inside another");
    const close = async (): Promise<void> => {
      await copy.close();
      await file.close?.();
    };
    return workbookSource({ ...copy, stop: context.stop }, entries, context, { ...file, close });
  } catch (error) {
    await copy.close();
    throw error;
  }
}

async function holdsZip(content: AsyncIterable<Buffer>): Promise<boolean> {
  let head = Buffer.alloc(0);
  for await (const piece of content) {
    head = Buffer.concat([head, piece.subarray(0, 4)]);
    if (head.length >= 4) break;
  }
  return beginsAsZip(head);
}

function notATable(file: string, what: string): RecPushError {
  return inputError({ file }, "not-a-table", `this is ${what}, not CSV, JSON or .xlsx`, {
    hint: "unpack it and push the file inside",
  });
}

const UNPACKED_CHUNK_BYTES = 65_536;

/**
 * Unpacks while reading: all members of the file, one after the other (RFC 1952 section 2.2). Throws an input error if the
 * packed bytes end early or are damaged.
 */
export async function* unpackGzip(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* unpack(createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES }), chunks);
  } catch (error) {
    throw asUnpackError(error, file);
  }
}

function asUnpackError(error: unknown, file: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!/^(Z_|ERR_ZLIB)/.test(code)) return error;
  const isTruncated = code === "Z_BUF_ERROR";
  return inputError(
    { file },
    "damaged-file",
    isTruncated ? "the file ends before its gzip data is complete" : "the gzip data is damaged",
    { hint: "copy or export the file again", cause: error },
  );
}
