import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { draws } from "../support/draws.ts";
import { configWords, makeFile } from "../support/temp-files.ts";

/** A text that is no amount and occurs nowhere else. */
const FAULT = "x!";

interface Table {
  readonly rows: readonly { readonly cle: string; readonly t: string; readonly n_amount: string }[];
  /** For each row: its amount is invalid, or the service refuses it, or neither. */
  readonly faults: readonly ("rejected" | "refused" | "none")[];
  readonly eols: readonly string[];
}

interface Dialect {
  readonly delimiter: string;
  readonly escape: string;
  readonly encoding: string;
  readonly mark: boolean;
  readonly titles: number;
  readonly isAllQuoted: boolean;
  readonly isHeaderless: boolean;
}

const text = fc
  .array(fc.constantFrom("a", "é", "à la", '"', ",", ";", "\t", "\n", "\r\n", "'", "|", "#", " ", "7", "œ"), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""))
  .filter((cell) => cell.trim() !== "");

const table: fc.Arbitrary<Table> = fc.integer({ min: 1, max: 12 }).chain((length) =>
  fc.record({
    rows: fc.tuple(
      ...Array.from({ length }, (_, at) =>
        fc.record({
          cle: fc.constant(`K${at}`),
          t: text,
          n_amount: fc.integer({ min: 100, max: 99_999 }).map((cents) => (cents / 100).toFixed(2)),
        }),
      ),
    ),
    faults: fc.array(fc.constantFrom("rejected", "refused", "none", "none"), {
      minLength: length,
      maxLength: length,
    }),
    eols: fc.array(fc.constantFrom("\n", "\r\n", "\r"), { minLength: length + 1, maxLength: length + 1 }),
  }),
);

const dialect: fc.Arbitrary<Dialect> = fc.record({
  delimiter: fc.constantFrom(",", ";", "\t", "|"),
  escape: fc.constantFrom('"', "\\"),
  encoding: fc.constantFrom("utf-8", "windows-1252", "utf-16le"),
  mark: fc.boolean(),
  titles: fc.integer({ min: 0, max: 2 }),
  isAllQuoted: fc.boolean(),
  isHeaderless: fc.boolean(),
});

function quoted(cell: string, { escape, isAllQuoted, delimiter }: Dialect): string {
  const isNeeded = isAllQuoted || /["\r\n\t,;|'#\\]|^ | $/.test(cell) || cell.includes(delimiter);
  if (!isNeeded) return cell;
  const escaped = escape === "\\" ? cell.replaceAll("\\", "\\\\") : cell;
  return `"${escaped.replaceAll('"', `${escape}"`)}"`;
}

function spell({ rows, eols, faults }: Table, about: Dialect, hasFaults: boolean): Buffer {
  const { delimiter, titles, isHeaderless, encoding, mark } = about;
  const lines = rows.map(({ cle, t, n_amount }, at) =>
    [cle, t, hasFaults && faults[at] === "rejected" ? FAULT : n_amount]
      .map((cell) => quoted(cell, about))
      .join(delimiter),
  );
  const title = isHeaderless ? "" : "Un titre\n".repeat(titles);
  const header = isHeaderless ? "" : ["cle", "t", "n_amount"].join(delimiter) + eols[0]!;
  const body = lines.map((line, at) => line + eols[at + 1]!).join("");
  const hasMark = encoding === "utf-16le" || (encoding === "utf-8" && mark);
  return iconv.encode(`${title}${header}${body}`, encoding, { addBOM: hasMark });
}

function words(command: string): string[] {
  const found = command.match(/"[^"]*"|'[^']*'|[^ ]+/g) ?? [];
  return found.map((word) => (/^["']/.test(word) ? word.slice(1, -1) : word));
}

describe("a rejects file whose faults are mended", () => {
  it(
    "gives, with what was accepted, the records of the whole file when clean",
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(table, dialect, async (rows, about) => {
          const options = [
            ["--delimiter", about.delimiter, "--quote", '"'],
            await configWords({ escape: about.escape }),
            // Letters drawn at random are no words of windows-1252.
            ["--encoding", about.encoding === "windows-1252" ? "windows-1252!" : about.encoding],
            ["--decimal", "."],
            about.isHeaderless
              ? ["--no-header", "--map", "1=cle", "--map", "2=t", "--map", "3=n_amount"]
              : ["--header-line", String(about.titles + 1)],
          ].flat();
          const whole = await openSandbox();
          const clean = await makeFile("a.csv", spell(rows, about, false));
          expect((await pushTo(whole, [clean, ...options])).code).toBe(0);

          const refused = rows.rows.filter((_, at) => rows.faults[at] === "refused");
          const sandbox = await openSandbox({ faults: refused.map(({ cle }) => `refuse=cle:${cle}`) });
          const file = await makeFile("a.csv", spell(rows, about, true));
          const path = join(dirname(file), "r.csv");
          const skip = ["--on-invalid", "skip", "--rejects", path];
          const { code, stdout, stderr } = await pushTo(sandbox, [file, ...skip, ...options]);
          const isAllRejected = rows.faults.every((fault) => fault === "rejected");
          if (isAllRejected) return;
          const hasRejects = rows.faults.some((fault) => fault !== "none");
          expect([code, stderr]).toEqual([hasRejects ? 4 : 0, expect.anything()]);
          if (!hasRejects) return;

          let mended = iconv.decode(await readFile(path), about.encoding, { stripBOM: false });
          for (const [at, { n_amount }] of rows.rows.entries()) {
            if (rows.faults[at] === "rejected") mended = mended.replace(FAULT, n_amount);
          }
          await writeFile(path, iconv.encode(mended, about.encoding));
          sandbox.setFaults([]);
          const command = /then push that file: rec-push (.*)/.exec(stdout)?.[1] ?? "";
          const [pushed = "", ...argv] = words(command);
          expect(pushed).toBe(path);
          const again = await pushTo(sandbox, [path, ...argv.filter((word) => word !== "push")]);
          expect([again.code, again.stderr]).toEqual([0, expect.anything()]);
          const byKey = (left: { cle?: string }, right: { cle?: string }): number =>
            left.cle!.localeCompare(right.cle!);
          expect([...heldBy(sandbox)].sort(byKey)).toEqual([...heldBy(whole)].sort(byKey));
        }),
        draws(10),
      );
    },
  );
});
