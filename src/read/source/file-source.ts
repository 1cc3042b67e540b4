import type { WorkbookContext } from "../xlsx/workbook-source.ts";
import { readPart } from "../zip/read-stretch.ts";
import { kindOfFile } from "./file-kind.ts";
import type { OpenFile } from "./open-file.ts";
import { readFrom } from "./read-from.ts";
import type { Source } from "./source.ts";

const HEAD_BYTES = 512;

/** The source of a file that stays open when the source is closed. Only with a context workbooks are read. */
export async function fileSource(file: OpenFile, context?: WorkbookContext): Promise<Source> {
  const { fd, name, bytes } = file;
  const head = await readPart(fd, 0, HEAD_BYTES);
  const kind = kindOfFile(head);
  if (kind !== undefined) {
    const { sourceOfKind } = await import("./packed-source.ts");
    return sourceOfKind(file, kind, head, context);
  }
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
