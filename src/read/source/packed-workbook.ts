import { RecPushError } from "../../model/failure.ts";
import { throwIfInterrupted } from "../../model/interruption.ts";
import { workbookSource, type WorkbookContext } from "../xlsx/workbook-source.ts";
import { readZipDirectory } from "../zip/zip-directory.ts";
import { kindOfZip } from "../zip/zip-table.ts";
import { CopyBounds } from "./copy-bounds.ts";
import type { OpenFile } from "./open-file.ts";
import { refuseKind } from "./refuse-kind.ts";
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
