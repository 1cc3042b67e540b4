import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { workbookSource, type WorkbookContext } from "../xlsx/workbook-source.ts";
import { readPart } from "../zip/read-stretch.ts";
import { readZipDirectory } from "../zip/zip-directory.ts";
import { kindOfZip, openTable, type ZipKind } from "../zip/zip-table.ts";
import { describeCompound, isCompound } from "./compound-file.ts";
import { readFrom } from "./read-from.ts";
import type { Source } from "./source.ts";
import { readPacking, unpack } from "./unpack.ts";

/** A file that this process has open, usable by any of its threads. Plain data. */
export interface OpenFile {
  readonly fd: number;
  /** For messages. */
  readonly name: string;
  /** Size as stored. */
  readonly bytes: number;
}

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
  return {
    name,
    bytes,
    isPacked: packing !== undefined,
    fd,
    open: () =>
      packing === undefined
        ? readFrom(fd, name, { lends: true })
        : unpack(readFrom(fd, name, {}), packing, name),
    ...(packing === undefined ? { openAt: (at: number) => readFrom(fd, name, { lends: true, at }) } : {}),
    close: async () => undefined,
  };
}

async function zipSource(file: OpenFile, context: WorkbookContext | undefined): Promise<Source> {
  const { fd, name, bytes } = file;
  const directory = readZipDirectory(file);
  const entries = await directory.catch(() => undefined);
  // A file that cannot be read does not keep the others from being judged: it fails when it is opened.
  if (entries === undefined)
    return failingSource(
      file,
      directory.then(() => Promise.reject(new Error("read"))),
    );
  const kind = kindOfZip(entries);
  if (kind === "workbook" && context !== undefined) return workbookSource(file, entries, context);
  if (kind !== "archive") return failingSource(file, Promise.resolve(refuseKind(name, kind)));
  return {
    name,
    bytes,
    isPacked: true,
    fd,
    open: () => openTable(file, entries),
    close: async () => undefined,
  };
}

function refuseKind(file: string, kind: Exclude<ZipKind, "archive">): RecPushError {
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
