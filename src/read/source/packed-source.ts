import { RecPushError } from "../../model/failure.ts";
import { type WorkbookContext, workbookSource } from "../xlsx/workbook-source.ts";
import { kindOfZip, openTable, readZipDirectory } from "../zip/zip-directory.ts";
import type { FileKind, OpenFile } from "./open-source.ts";
import { describeCompound, packedWorkbook, refuseKind, refuseZstd, unpackGzip } from "./packed-workbook.ts";
import { readFrom } from "./read-from.ts";
import type { Source } from "./source.ts";

/** The source of a file that holds others, or is packed. Loaded only where there is one. */
export function sourceOfKind(
  file: OpenFile,
  kind: FileKind,
  head: Buffer,
  context: WorkbookContext | undefined,
): Promise<Source> {
  const { fd, name } = file;
  if (kind === "zip") return zipSource(file, context);
  if (kind === "compound") return Promise.resolve(failingSource(file, describeCompound(file, head)));
  if (kind === "zstd") return Promise.resolve(failingSource(file, Promise.resolve(refuseZstd(name))));
  return packedSource(file, () => unpackGzip(readFrom(fd, name, {}), name), context);
}

/** The source of what is in a packed file, which may be a workbook. */
async function packedSource(
  file: OpenFile,
  open: () => AsyncIterable<Buffer>,
  context: WorkbookContext | undefined,
): Promise<Source> {
  const { fd, name, bytes } = file;
  if (context !== undefined) {
    const found = packedWorkbook(file, open, context);
    const workbook = await found.catch((error: unknown) => {
      if (!(error instanceof RecPushError && error.kind === "input")) throw error;
      return failingSource(file, Promise.resolve(error));
    });
    if (workbook !== undefined) return workbook;
  }
  return { name, bytes, isPacked: true, fd, open, close: async () => undefined };
}

async function zipSource(file: OpenFile, context: WorkbookContext | undefined): Promise<Source> {
  const { name } = file;
  const directory = readZipDirectory(file);
  const entries = await directory.catch(() => undefined);
  // A file that cannot be read does not keep the others from being judged: it fails when it is opened.
  if (entries === undefined)
    return failingSource(
      file,
      directory.then(() => Promise.reject(new Error("read"))),
    );
  const kind = kindOfZip(entries);
  if (kind === "workbook" && context !== undefined)
    return workbookSource({ ...file, stop: context.stop }, entries, context);
  if (kind !== "archive") return failingSource(file, Promise.resolve(refuseKind(name, kind)));
  return packedSource(file, () => openTable(file, entries), context);
}

/** A file that is known not to be readable. */
function failingSource({ fd, name, bytes }: OpenFile, why: Promise<RecPushError>): Source {
  why.catch(() => undefined);
  return {
    name,
    bytes,
    isPacked: true,
    fd,
    // oxlint-disable-next-line require-yield
    async *open() {
      throw await why;
    },
    close: async () => undefined,
  };
}
