import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../src/cli/main.ts";
import { createDraw } from "../chaos/random.ts";
import { judgeClean } from "./tables/judge-clean.ts";
import { judgeSent, type CommandEnd } from "./tables/judge-sent.ts";
import { drawFile, judgeTables } from "./tables/judge-tables.ts";
import { readAdvice } from "./tables/read-advice.ts";

function order(files: number) {
  const directory = mkdtempSync(join(tmpdir(), "rec-push-tables-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { first: 1, files, directory, commandLine: main };
}

describe("drawn tables", () => {
  it("are read right, or asked about", async () => {
    const { lines } = await judgeTables(order(60));
    // Three files in a hundred hide a total beside a free name: the rule of odd rows does not see it.
    expect(lines.slice(0, -1).filter((line) => !/\[subtotals\]/.test(line))).toEqual([]);
    expect(lines.length - 1).toBeLessThanOrEqual(2);
  });

  it("are hardly asked about where they are clean", async () => {
    const { lines, isHeld } = await judgeClean(order(60));
    expect(lines.slice(0, -1)).toEqual([]);
    expect(isHeld).toBe(true);
  });
});

describe("the judge of drawn tables", () => {
  const { file, right } = drawSimple();
  const ended = (sent: CommandEnd["sent"], named: readonly number[] = []): CommandEnd => ({
    code: named.length === 0 ? 0 : 4,
    sent,
    named: new Set(named),
    why: "",
    told: "",
  });

  it("takes what is right, and rows that are named", () => {
    expect(judgeSent(file, "send", ended(right))).toEqual({ kind: "right", leftOut: 0 });
    const [first] = file.rows;
    const named = ended(right.slice(1), [first!.line]);
    expect(judgeSent(file, "send", named)).toEqual({ kind: "right", leftOut: 1 });
  });

  it.each<[string, CommandEnd["sent"]]>([
    ["a row that is missing", right.slice(1)],
    ["a row too many", [...right, { num_commande: "7" }]],
    ["another value", right.map((record) => ({ ...record, actual_billable_amount: "0.01" }))],
    ["a value more", right.map((record) => ({ ...record, note: "x" }))],
    ["another order", right.toReversed()],
  ])("sees %s", (_, sent) => {
    expect(judgeSent(file, "send", ended(sent)).kind).toBe("wrong");
  });
});

/** The first drawn file without oddities of at least two rows, and its records. */
function drawSimple() {
  for (let seed = 1; ; seed++) {
    const file = drawFile(createDraw(seed), seed);
    const right = file.rows.map((row) =>
      Object.fromEntries(
        file.columns.flatMap(({ declared }, at) =>
          declared === undefined || row.right[at] === "" ? [] : [[declared, row.right[at]!]],
        ),
      ),
    );
    const isPlain =
      file.oddities.length === 0 && file.columns.every(({ declared }) => declared !== undefined);
    if (isPlain && right.length > 1) return { file, right };
  }
}

describe("printed advice", () => {
  it("is read as the ready line, and the answers", () => {
    const advice = readAdvice(
      [
        "error: a.csv: 3 questions",
        '  add --map "Order No=num_commande" --type note=text',
        "  --type date_billed=date:DD/MM/YYYY or --type date_billed=date:MM/DD/YYYY; --decimal , or --decimal .",
        "  --no-header --skip-lines 2 if the file has none, or --header-line 3 if this line is the header",
        "  --drop 4 leaves one out, --map 4=column_4 sends it to a field of its own",
        '  --map "Échéance=echeance" --type echeance=date or --map "Échéance=echeance" --type echeance=text says which',
      ].join("\n"),
    );
    expect(advice.ready).toBe('--map "Order No=num_commande" --type note=text');
    expect(advice.choices).toEqual([
      "--type date_billed=date:DD/MM/YYYY",
      "--type date_billed=date:MM/DD/YYYY",
      "--decimal ,",
      "--decimal .",
      "--no-header --skip-lines 2",
      "--header-line 3",
      "--drop 4",
      "--map 4=column_4",
      '--map "Échéance=echeance" --type echeance=date',
      '--map "Échéance=echeance" --type echeance=text',
    ]);
  });
});
