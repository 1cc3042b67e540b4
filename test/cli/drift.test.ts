import { join } from "node:path";
import { describe, expect } from "vitest";
import { faults, scenario, type Step, write } from "../support/scenario.ts";
import { figuresIn } from "../support/table-parts.ts";

const FIRST = "cle,num_commande,date_billed,actual_billable_amount";

interface Night {
  readonly rows?: number;
  readonly header?: string;
  readonly key?: string;
  readonly amount?: string;
}

/** The file of a night; each has other content. */
function night(number: number, more: Night = {}): string {
  const { rows = 400, header = FIRST, key = "K", amount = "12.50" } = more;
  const cells = (row: number): string =>
    [key === "" ? "" : `${key}${row}`, number * 1000 + row, "2026-01-05", amount]
      .slice(0, header.split(",").length)
      .join(",");
  return `${header}\n${Array.from({ length: rows }, (_, row) => `${cells(row)}\n`).join("")}`;
}

const PINS = "--date-format YYYY-MM-DD --decimal . --delimiter , --exports delta --quiet";
const push = (file: string, more = ""): string => `push ${file} ${PINS} ${more}`;
/** Three usual files, then others. */
const files = (...others: readonly Night[]): Record<string, string> =>
  Object.fromEntries([{}, {}, {}, ...others].map((more, at) => [`night-${at + 1}.csv`, night(at + 1, more)]));
const USUAL: readonly Step[] = [[push("night-1.csv night-2.csv night-3.csv"), 0, /^\s*$/]];
/** For so many files figures are kept. */
const kept =
  (count: number): Step =>
  async ({ home }) =>
    expect(await figuresIn(join(home, "rec-push"))).toHaveLength(count);
const isSent =
  (number: string, isThere = true): Step =>
  ({ numbers }) =>
    expect(numbers().includes(number)).toBe(isThere);

describe("a file that is unlike all before it", () => {
  scenario(
    "is reported with its numbers under --quiet, and is sent",
    files({ rows: 30, key: "", amount: "12500.00" }),
    [
      ...USUAL,
      [
        push("night-4.csv"),
        0,
        /^\n/,
        "night-4.csv is unlike all of the last 3 files: rows 400 -> 30; ",
        "updates 400 and creates 0 -> updates 0 and creates 30; ",
        "is 5000 in 400 rows -> 375000 in 30 rows",
      ],
      isSent("4000"),
    ],
  );
  scenario("is an event for programs", files({ header: "cle,num_commande,date_billed" }), [
    ...USUAL,
    [
      push("night-4.csv", "--json"),
      0,
      /"event":"notice".*night-4\.csv.*"drift":\[{"aspect":"columns:actual_billable_amount",.*"before":3,"now":0}\]/,
    ],
  ]);
  scenario(
    "stops with --drift stop until it is accepted, and files like it pass from then on",
    files({ rows: 20 }, { rows: 21 }),
    [
      ...USUAL,
      [
        push("night-4.csv", "--drift stop"),
        3,
        "rows 400 -> 20; nothing was sent",
        "--drift accept sends it, and such files are usual from then on",
      ],
      isSent("4000", false),
      [push("night-4.csv", "--drift stop"), 3],
      [push("night-4.csv", "--drift accept"), 0, /^\s*$/],
      isSent("4000"),
      [push("night-5.csv", "--drift stop"), 0],
    ],
  );
  scenario("stops a push of several files as a whole", files({}, { rows: 20 }), [
    ...USUAL,
    [push("night-4.csv night-5.csv", "--drift stop"), 3],
    isSent("4000", false),
    kept(3),
  ]);
  const config = (drift: string): Step =>
    write("rec-push.config.json", JSON.stringify({ tables: { commandes: { drift } } }));
  scenario("is not checked with --drift off, and drift in a config decides that too", files({ rows: 20 }), [
    ...USUAL,
    config("stop"),
    [push("night-4.csv"), 3],
    [push("night-4.csv", "--drift off"), 0, /^\s*$/],
    config("accept"),
    [push("night-4.csv"), 2, '"accept": expected one of off, note, stop'],
  ]);
  scenario("is one of several in a first command, in their order", files({ rows: 20 }), [
    [
      push("night-1.csv night-2.csv night-3.csv night-4.csv"),
      0,
      "night-4.csv is unlike all of the last 3 files: rows 400 -> 20",
    ],
  ]);
});

describe("the figures of a file", () => {
  const rejects = `_rejected_run,_rejected_line,_rejected_field,_rejected_reason,_later_line,${FIRST}\n,4,x,y,,M1,1,2026-01-05,1.00\n`;
  scenario(
    "are kept where a run goes on later too, and not for files that are pushed again, mended, rehearsed or refused",
    {
      ...files({ rows: 30, key: "" }, { rows: 5 }),
      "night.rejects.csv": rejects,
      "a.csv": "cle,num_commande\nA1,1\n",
      "mixed.csv": "cle,num_commande\nM1,1\n,2\n",
    },
    [
      ...USUAL,
      [push("night-4.csv"), 0],
      kept(4),
      [push("night-4.csv"), 0],
      [push("night-4.csv", "--again"), 0, { not: "unlike" }],
      [push("night.rejects.csv"), 0, /^\s*$/],
      ["push night-5.csv --sandbox", 0],
      faults("status=401,times=1"),
      [push("night-5.csv", "--concurrency 1"), 5],
      kept(4),
      [push("night-5.csv"), 0],
      kept(5),
      [push("mixed.csv"), 0],
      [push("mixed.csv"), 0, "only its updates are sent"],
      kept(6),
      faults("status=400"),
      ["push a.csv", 4],
      kept(6),
    ],
  );
});
