import { RecPushError } from "../../model/failure.ts";
import { workbookSource, type WorkbookContext } from "../xlsx/workbook-source.ts";
import { readPart } from "../zip/read-stretch.ts";
import { readZipDirectory } from "../zip/zip-directory.ts";
import { kindOfZip, openTable } from "../zip/zip-table.ts";
import { describeCompound, isCompound } from "./compound-file.ts";
import type { OpenFile } from "./open-file.ts";
import { packedWorkbook } from "./packed-workbook.ts";
import { readFrom } from "./read-from.ts";
import { refuseKind } from "./refuse-kind.ts";
import type { Source } from "./source.ts";
import { readPacking, unpack } from "./unpack.ts";

const HEAD_BYTES = 512;
const ZIP = Buffer.from("PK\x03\x04", "latin1");
const EMPTY_ZIP = Buffer.from("PK\x05\x06", "latin1");

/** The source of a file that stays open when the source is closed. Only with a context workbooks are read. */
export async function fileSource(file: OpenFile, context?: WorkbookContext): Promise<Source> {
  const { fd, name, bytes } = file;
  const head = await readPart(fd, 0, HEAD_BYTES);
  if (startsWith(head, ZIP) || startsWith(head, EMPTY_ZIP)) return zipSource(file, context);
  if (isCompound(head)) return failingSource(file, describeCompound(file, head));
  const packing = readPacking(head);
  if (packing !== undefined)
    return packedSource(file, () => unpack(readFrom(fd, name, {}), packing, name), context);
  return {
    name,
    bytes,
    isPacked: false,
    fd,
    open: () => readFrom(fd, name, { lends: true }),
    openAt: (at: number) => readFrom(fd, name, { lends: true, at }),
    close: async () => undefined,
  };
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

function startsWith(head: Buffer, mark: Buffer): boolean {
  return head.subarray(0, mark.length).equals(mark);
}
