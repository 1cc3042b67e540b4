import fc from "fast-check";
import { expect, it } from "vitest";
import { RowLog } from "../../src/files/row-log.ts";
import { type LeftRow, type LoggedRecords, readPlain, readRows } from "../../src/files/row-stretch.ts";
import type { PreparedRecord } from "../../src/model/settlement.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { toRecord, toRecords } from "../support/to-record.ts";

interface SomeRow {
  /** Its place in the file. */
  readonly start: number;
  readonly line: number;
  readonly key: string | undefined;
  readonly total: string | undefined;
  /** Absent for a row with nothing to send. */
  readonly ordinal: number | undefined;
}

const drawn = fc.record({
  /** Lines from the row before: mostly one, as in a CSV. */
  away: fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, fc.nat(3)),
  isEmpty: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, fc.boolean()),
  /** Records of the kind that are not in this part of the file. */
  missing: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.nat(2)),
  key: fc.option(
    fc.oneof(
      fc.string(),
      fc.constantFrom("C1", "", " ", "a b", 'a"b', "a\\b", "a\nb", "a\tb", "[", "{", "\ud800", "😀", "é"),
    ),
    { nil: undefined, freq: 3 },
  ),
  total: fc.option(fc.string(), { nil: undefined }),
});

const rows = fc.array(drawn, { minLength: 1, maxLength: 30 }).map((all): readonly SomeRow[] => {
  let line = 1;
  const next = { update: 0, create: 0 };
  return all.map(({ away, isEmpty, missing, key, total }, start) => {
    line += away;
    if (isEmpty) return { start, line, key: undefined, total: undefined, ordinal: undefined };
    const kind = key === undefined ? "create" : "update";
    next[kind] += missing + 1;
    return { start, line, key, total, ordinal: next[kind] - 1 };
  });
});

function recordOf({ start, line, key, total }: SomeRow, ordinal: number): PreparedRecord {
  const text = Buffer.from(JSON.stringify(total === undefined ? {} : { total }));
  return toRecord({
    line,
    rowStart: start,
    rowEnd: start + 1,
    key,
    ordinal,
    text,
    start: 0,
    bytes: text.length,
  });
}

function linesOf(bytes: Buffer): readonly string[] {
  return bytes.toString("utf8", 0, bytes.length - 1).split("\n");
}

/** The rows of a logged line that begins at `at`, as results read them. */
function readLine(line: string, bytes: Buffer, at: number): LoggedRecords | LeftRow {
  const plain = readPlain(bytes, at);
  if (plain === undefined) return readRows(line);
  const { firstLine, linesApart, firstOrdinal, creates, at: tab } = plain;
  const place = { firstLine, linesApart, firstOrdinal, identities: undefined };
  if (creates > 0) return { kind: "create", count: creates, keys: undefined, ...place };
  const keys = bytes.toString("utf8", tab + 1, at + Buffer.byteLength(line)).split("\t");
  return { kind: "update", count: keys.length, keys, ...place };
}

function expand(logged: LoggedRecords | LeftRow): readonly Omit<SomeRow, "start" | "total">[] {
  if ("outcome" in logged) return [{ line: logged.line, key: logged.key, ordinal: undefined }];
  const { kind, count, firstLine, linesApart, firstOrdinal, keys } = logged;
  expect(kind).toBe(keys === undefined ? "create" : "update");
  return Array.from({ length: count }, (_, at) => ({
    line: firstLine + at * linesApart,
    key: keys?.[at],
    ordinal: firstOrdinal + at,
  }));
}

it("rows are read as they were logged, whatever their keys hold and whatever is between them", async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.boolean(), fc.nat(30), async (all, hasIdentity, half) => {
      const log = new RowLog(await makeDirectory(), hasIdentity ? ["total"] : []);
      for (const chunk of [all.slice(0, half), all.slice(half)]) {
        const records = chunk.flatMap((row) =>
          row.ordinal === undefined ? [] : [recordOf(row, row.ordinal)],
        );
        const empty = chunk.filter(({ ordinal }) => ordinal === undefined);
        await log.add(0, { records: toRecords(records), leftOut: [], rejected: [], empty });
      }
      const found: Omit<SomeRow, "start" | "total">[] = [];
      const identities: unknown[] = [];
      for await (const lines of log.read(0)) {
        let at = 0;
        for (const line of linesOf(lines)) {
          const logged = readLine(line, lines, at);
          at += Buffer.byteLength(line) + 1;
          found.push(...expand(logged));
          if (!("outcome" in logged) && hasIdentity) identities.push(...(logged.identities ?? []));
        }
      }
      expect(found).toEqual(all.map(({ line, key, ordinal }) => ({ line, key, ordinal })));
      const sent = all.filter(({ ordinal }) => ordinal !== undefined);
      expect(identities).toEqual(hasIdentity ? sent.map(({ total }) => [total ?? null]) : []);
      await log.remove();
    }),
  );
});

it("records that follow each other are one stretch, also where a file has no line feeds", async () => {
  const log = new RowLog(await makeDirectory());
  const all = Array.from({ length: 100 }, (_, at) => ({
    start: at,
    line: 1,
    key: `C${at}`,
    total: undefined,
    ordinal: at,
  }));
  await log.add(0, {
    records: toRecords(all.map((row) => recordOf(row, row.ordinal))),
    leftOut: [],
    rejected: [],
    empty: [],
  });
  const found: unknown[] = [];
  for await (const lines of log.read(0)) found.push(...linesOf(lines));
  expect(found).toHaveLength(1);
});
