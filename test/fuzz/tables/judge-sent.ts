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
  /** The numbers of updates and creates that it announced. */
  readonly announced: readonly [number, number];
}

/** The answer about undeclared columns. */
export type Others = "none" | "send" | "drop";

/** A verdict about one file; `wrong` says what was sent wrongly or lost. */
export type Judgement =
  | { readonly kind: "right"; readonly leftOut: number }
  | { readonly kind: "asked"; readonly why: string }
  | { readonly kind: "wrong"; readonly why: string };

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
  if (file.mustAsk && end.sent.length > 0) return wrong("it was to be asked about");
  const columns = file.columns.map((column, index) => ({
    ...column,
    isDropped: dropped.includes(String(index + 1)) || dropped.includes(column.header.trim()),
  }));
  let at = 0;
  let leftOut = 0;
  for (const row of file.rows) {
    const right = rightRecord(row, columns, others);
    const sent = end.sent[at];
    if (right !== undefined && sent !== undefined && isSame(right, sent)) {
      at++;
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
  if (at < end.sent.length) return wrong(`no row is ${JSON.stringify(end.sent[at])}`);
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
  const fields = Object.keys(right);
  return fields.length === Object.keys(sent).length && fields.every((field) => right[field] === sent[field]);
}

function wrong(why: string): Judgement {
  return { kind: "wrong", why };
}
