import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { shareOf } from "../support/draws.ts";
import { runProcess } from "../support/run-process.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { workbookOf } from "../support/workbook.ts";

const HOOK = fileURLToPath(new URL("../support/tell-memory.cjs", import.meta.url));

/** They take 160 to 210 MiB, and more where the collector comes late on a busy machine; each took 600 or more. */
const MOST_MIB = 450;

const LONG = "x".repeat(1_000_000);

const INPUTS: readonly (readonly [string, string, () => string | Buffer])[] = [
  ["400,000 narrow rows", "a.csv", () => `cle,date_billed,c\n${"K\n".repeat(400_000)}`],
  [
    "a small workbook of long texts",
    "a.xlsx",
    () =>
      workbookOf({
        sheets: [
          {
            rows: `<row r="1"><c t="inlineStr"><is><t>cle</t></is></c><c t="inlineStr"><is><t>num_commande</t></is></c></row>${Array.from(
              { length: 150 },
              (_, at) =>
                `<row r="${at + 2}"><c t="inlineStr"><is><t>K${at}</t></is></c><c t="s"><v>${at}</v></c></row>`,
            ).join("")}`,
          },
        ],
        strings: Array.from({ length: 150 }, (_, at) => `<si><t>${at}${LONG}</t></si>`).join(""),
      }),
  ],
];

it.each(shareOf(INPUTS, 1))(
  "a check of %s stays within its memory",
  { timeout: 60_000 },
  async (_, name, content) => {
    const file = join(await makeDirectory(), name);
    await writeFile(file, content());
    const { code, stderr } = await runProcess(["check", file], {
      env: { NODE_OPTIONS: `--require ${HOOK}` },
    });
    expect(code).toBe(3);
    // In a worker the hook speaks too.
    const peaks = Array.from(stderr.matchAll(/peak (\d+) MiB/g), ([, peak]) => Number(peak));
    expect(peaks.length).toBeGreaterThan(0);
    expect(Math.max(...peaks)).toBeLessThan(MOST_MIB);
  },
);
