import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import fc from "fast-check";
import { RecPushError } from "../../../src/model/failure.ts";
import { FaultyCell, JsonNumber } from "../../../src/model/rows.ts";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { openSource } from "../../../src/read/source/open-source.ts";
import { readTable } from "../../read/chunks.ts";
import { buildWhole, buildWorkbook, type SheetCase, sheetCases } from "./sheet-case.ts";

const READER = resolve("test/fuzz/sheets/judge_sheet.py");

interface Answer {
  readonly isReadable: boolean;
  readonly fault: string | null;
}

interface ReadRows {
  readonly sheet: string | undefined;
  readonly rows: readonly (readonly unknown[])[];
  readonly others: readonly number[];
  readonly from: number | undefined;
}

/** The verdict on a file. */
type SheetVerdict = "read" | "refused" | "tolerated";

/** True if the other reader can run. */
export function hasPython(): boolean {
  return spawnSync("python3", ["-c", "import zipfile, xml.etree.ElementTree"]).status === 0;
}

/** rec-push reads something differently that the other reader cannot read. */
class ReadOtherwise extends Error {}

/** Compares what rec-push reads from workbooks with what a reader in another language finds in them. */
export class WorkbookJudge {
  readonly #directory: string;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(directory: string) {
    this.#directory = directory;
    this.#child = spawn("python3", [READER], { stdio: ["pipe", "pipe", "inherit"] });
    this.#answers = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  /**
   * Judges a case. If damage that may stay unseen comes with other changes, each change is judged alone. Throws if a cell is
   * read that is not in the file.
   */
  async judgeCase(given: SheetCase): Promise<SheetVerdict> {
    const whole = buildWhole(given);
    try {
      return await this.judge(buildWorkbook(given), optionsOf(given), whole);
    } catch (error) {
      if (!(error instanceof ReadOtherwise) || given.edits.length < 2) throw error;
      for (const edit of given.edits)
        await this.judge(buildWorkbook({ ...given, edits: [edit] }), optionsOf(given), whole);
      return "tolerated";
    }
  }

  /**
   * Throws if a cell is read that is not in the file, or one is missing, and throws on every error that is not an input
   * error.
   */
  async judge(bytes: Buffer, options: ReadOptions, whole: Buffer): Promise<SheetVerdict> {
    const path = join(this.#directory, "spoilt.xlsx");
    const read = await this.#read(path, bytes, options);
    if (read === undefined) return "refused";
    const { isReadable, fault } = await this.compare(path, read);
    if (isReadable && fault !== null) throw new Error(fault);
    if (isReadable) return "read";
    // Damage outside of the cells may stay unseen: then the cells are read as before.
    const before = await this.#read(join(this.#directory, "whole.xlsx"), whole, options);
    const change = before === undefined ? "the whole one is refused" : firstChange(read, before);
    if (change !== undefined)
      throw new ReadOtherwise(`not well-formed, and read otherwise: ${fault}: ${change}`);
    return "tolerated";
  }

  /** The other reader's answer about rows that were read from a file. */
  async compare(path: string, read: ReadRows): Promise<Answer> {
    this.#child.stdin!.write(`${JSON.stringify({ path, ...read })}\n`);
    const next = await this.#answers.next();
    if (next.done === true) throw new Error("the other reader died");
    return JSON.parse(next.value) as Answer;
  }

  close(): void {
    this.#child.stdin!.end();
  }

  async #read(path: string, bytes: Buffer, options: ReadOptions): Promise<ReadRows | undefined> {
    writeFileSync(path, bytes);
    const context = { stdin: () => Readable.from([]), spoolDirectory: this.#directory };
    try {
      const source = await openSource(path, context);
      try {
        const { inspection, rows, problems, headers } = await readTable(source, options);
        const { format, sheet, dialect } = inspection.reading;
        if (format !== "xlsx") return undefined;
        return {
          sheet,
          rows: rows.map((row) => row.map((cell, at) => (at === 0 ? cell : told(cell)))),
          others: [...problems.map(({ line }) => line), ...headers],
          from: dialect?.dataLine,
        };
      } finally {
        await source.close();
      }
    } catch (error) {
      if (error instanceof RecPushError && (error.kind === "input" || error.kind === "usage"))
        return undefined;
      throw error;
    }
  }
}

/** Spoilt workbooks give their own cells, or are refused. */
export function judgeSpoilt(judge: WorkbookJudge): fc.IAsyncProperty<[SheetCase]> {
  return fc.asyncProperty(sheetCases(), async (given) => void (await judge.judgeCase(given)));
}

/** The first row that differs from before; a refused cell is no difference. */
function firstChange({ rows, others }: ReadRows, before: ReadRows): string | undefined {
  const byLine = new Map(rows.map((row) => [row[0], row]));
  for (const row of before.rows) {
    const now = byLine.get(row[0]);
    if (now === undefined) {
      if (!others.includes(row[0] as number)) return `row ${String(row[0])} is missing`;
    } else if (
      row.some((cell, at) => !isRefused(now[at]) && JSON.stringify(cell) !== JSON.stringify(now[at] ?? null))
    )
      return `${JSON.stringify(row)} is read as ${JSON.stringify(now)}`;
  }
  return rows.length > before.rows.length ? "there are more rows" : undefined;
}

function isRefused(cell: unknown): boolean {
  return Array.isArray(cell) && cell[0] === "x";
}

/** Without a header every row counts; with one, rows above it and rows equal to it do not. */
function optionsOf({ hasHeader }: SheetCase): ReadOptions {
  return hasHeader ? {} : { header: false };
}

function told(cell: unknown): unknown {
  if (cell === "") return null;
  if (cell instanceof JsonNumber) return ["n", cell.source];
  if (cell instanceof FaultyCell) return ["x"];
  return typeof cell === "boolean" ? ["b", cell] : ["t", cell];
}
