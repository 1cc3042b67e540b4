import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { markerColumns, ROWS_KINDS, type RowsKind } from "../model/marker-columns.ts";
import { quoteText, quoteWord } from "../model/text.ts";
import { openAsIs } from "../read/source/open-source.ts";
import type { Source } from "../read/source/source.ts";

/** The header of a file that rec-push wrote is within this many bytes. */
const HEAD_BYTES = 65_536;

/** A file of rows that rec-push wrote. */
interface OwnFile {
  readonly kind: RowsKind;
  /** For rows in doubt: their run. */
  readonly run: string | undefined;
}

/** A file of rows that rec-push wrote, recognised by its marker columns; `undefined` for any other file. */
async function recogniseOwn(source: Source): Promise<OwnFile | undefined> {
  // Its rows are written as CSV.
  if (source.readSheet !== undefined) return undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of source.open()) {
    pieces.push(Buffer.from(piece));
    bytes += piece.length;
    if (bytes >= HEAD_BYTES) break;
  }
  // The names are ASCII, so they are also found in UTF-16 once its zeros are removed.
  const head = Buffer.concat(pieces).toString("latin1", 0, HEAD_BYTES).replaceAll("\0", "");
  const kind = ROWS_KINDS.find((one) => {
    // Two of the names, because a text may mention one.
    const [line, ...others] = markerColumns(one).map((name) => new RegExp(`(?<!\\w)${name}(?!\\w)`));
    return line!.test(head) && others.some((name) => name.test(head));
  });
  return kind && { kind, run: /\bof the run (\S+) \(doubt /.exec(head)?.[1] };
}

/** The files of a command that are read, and those that are ignored because rec-push wrote them. */
interface ChosenFiles {
  readonly files: readonly string[];
  /** Notices for the user. */
  readonly notices: readonly string[];
}

const NOUNS: Readonly<Record<RowsKind, string>> = {
  rejects: "rows to be mended",
  inDoubt: "rows in doubt",
};

/**
 * Ignores files of rows that rec-push wrote if there are other files too: a glob finds them beside their inputs. If
 * there are no others, rejects are pushed; throws an input error for rows in doubt.
 */
export async function chooseFiles(given: readonly string[]): Promise<ChosenFiles> {
  const files = given.filter((file) => !isExcelLock(file));
  const lockNotices = given
    .filter(isExcelLock)
    .map((file) => `${file} is passed over: Excel keeps it while the workbook is open, and it holds no rows`);
  if (files.length === 0 && lockNotices[0] !== undefined)
    throw new RecPushError("own-rows", lockNotices[0], { hint: "name the workbook itself" });
  const own = await Promise.all(files.map(ownFile));
  const others = files.filter((_, at) => own[at] === undefined);
  if (others.length > 0) {
    const notices = files.flatMap((file, at) => {
      const kind = own[at]?.kind;
      const push = kind === "rejects" ? "; once it is mended, push it alone" : "";
      return kind === undefined
        ? []
        : [`${file} is passed over: rec-push wrote it, and it holds ${NOUNS[kind]}${push}`];
    });
    return { files: others, notices: [...lockNotices, ...notices] };
  }
  for (const [at, file] of files.entries()) refuse(file, own[at]!);
  return { files, notices: lockNotices };
}

/** Excel writes `~$orders.xlsx` beside `orders.xlsx` as long as somebody has that open. */
function isExcelLock(file: string): boolean {
  return basename(file).startsWith("~$");
}

function refuse(file: string, { kind, run = "RUN" }: OwnFile): void {
  if (kind === "rejects") return;
  throw new RecPushError(
    "own-rows",
    `${quoteText(file)} holds rows that may be created already: a push would create them a second time`,
    {
      place: { file },
      hint: `check the service, delete the rows that are there, then send the others: rec-push resume ${run} --in-doubt ${quoteWord(file)}`,
    },
  );
}

/**
 * Reads only regular files: anything else gives its bytes once. A file that cannot be read is reported when it is opened.
 */
async function ownFile(file: string): Promise<OwnFile | undefined> {
  if (file === "-" || (await stat(file).catch(() => undefined))?.isFile() !== true) return undefined;
  try {
    const source = await openAsIs(file);
    try {
      return await recogniseOwn(source);
    } finally {
      await source.close();
    }
  } catch (error) {
    if (error instanceof RecPushError) return undefined;
    throw error;
  }
}
