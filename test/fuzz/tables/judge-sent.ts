import { isDeepStrictEqual } from "node:util";
import type { DrawnColumn, DrawnFile, DrawnRow } from "./drawn-table.ts";

/** The result of a command for a file. */
export interface CommandEnd {
  readonly code: number;
  /** The records it sent, or would send. */
  readonly sent: readonly Readonly<Record<string, string>>[];
  /** Lines it named as rejected or left out. */
  readonly named: ReadonlySet<number>;
  /** The failure code with which it stopped; `""` if it did not. */
  readonly why: string;
  readonly told: string;
}

/** The answer about undeclared columns. */
export type Others = "none" | "send" | "drop";

/** A verdict about one file; `wrong` says what was sent wrongly or lost, `missed` which row that is none was sent. */
export type Judgement =
  | { readonly kind: "right"; readonly leftOut: number }
  | { readonly kind: "asked"; readonly why: string }
  | { readonly kind: "missed" | "wrong"; readonly why: string };

/** Compares what was sent of a file with the records that it truly holds. */
export function judgeSent(
  file: DrawnFile,
  others: Others,
  end: CommandEnd,
  dropped: readonly string[] = [],
): Judgement {
  if (end.code === 3)
    return end.sent.length === 0 ? { kind: "asked", why: end.why } : wrong("stopped, and sent");
  if (end.code !== 0 && end.code !== 4) return wrong(`exit ${end.code}`);
  // Two columns of one name that are both left out ask nothing.
  const areBothDropped =
    others === "drop" && file.oddities.includes("duplicate") && file.columns[0]!.declared === undefined;
  if (file.mustAsk && end.sent.length > 0 && !areBothDropped) return wrong("it was to be asked about");
  const columns = file.columns.map((column, index) => ({
    ...column,
    isDropped: dropped.includes(String(index + 1)) || dropped.includes(column.header.trim()),
  }));
  let at = 0;
  let leftOut = 0;
  let missed: string | undefined;
  for (const row of file.rows) {
    const right = rightRecord(row, columns, others);
    const sent = end.sent[at];
    if (right !== undefined && sent !== undefined && isSame(right, sent)) {
      at++;
      continue;
    }
    const next = end.sent[at + 1];
    if (right !== undefined && next !== undefined && isSame(right, next)) {
      missed = JSON.stringify(sent);
      at += 2;
      continue;
    }
    if (right === undefined && !row.isInvalid) continue;
    if (end.named.has(row.line)) {
      if (!row.isInvalid) leftOut++;
      continue;
    }
    const rest = sent === undefined ? "nothing" : JSON.stringify(sent);
    return wrong(
      `line ${row.line} is ${row.isInvalid ? "invalid" : JSON.stringify(right)}, and sent is ${rest}`,
    );
  }
  if (at < end.sent.length) missed = JSON.stringify(end.sent[at]);
  if (missed !== undefined)
    return { kind: file.oddities.length === 0 ? "wrong" : "missed", why: `no row is ${missed}` };
  if (end.code === 0 && file.rows.some(({ isInvalid }) => isInvalid))
    return wrong("an invalid row is no reason");
  return { kind: "right", leftOut };
}

/** The record of a row; `undefined` if it has nothing, or nothing but its key. */
function rightRecord(
  { right, isInvalid }: DrawnRow,
  columns: readonly (DrawnColumn & { readonly isDropped: boolean })[],
  others: Others,
): Readonly<Record<string, string>> | undefined {
  if (isInvalid) return undefined;
  const record: Record<string, string> = {};
  for (const [at, column] of columns.entries()) {
    if (column.isDropped) continue;
    const field = column.declared ?? (others === "send" ? fieldOf(column.header, at + 1) : undefined);
    if (field !== undefined && right[at] !== "") record[field] = right[at]!;
  }
  return Object.keys(record).some((field) => field !== "cle") ? record : undefined;
}

/** The identifier made of a header; a column without a name is called by its position. */
function fieldOf(header: string, position: number): string {
  if (/^[A-Za-z_]\w*$/.test(header)) return header.toLowerCase();
  const plain = header.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const name = plain.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  return name === "" ? `column_${position}` : name;
}

function isSame(right: Readonly<Record<string, string>>, sent: Readonly<Record<string, string>>): boolean {
  return isDeepStrictEqual(byName(right), byName(sent));
}

/** The values by field; of fields without a name, whose position depends on the records before, by value. */
function byName(record: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = Object.entries(record).map(([field, value]) => [
    /^column_\d+$/.test(field) ? value : field,
    value,
  ]);
  return Object.fromEntries(named) as Record<string, string>;
}

function wrong(why: string): Judgement {
  return { kind: "wrong", why };
}
