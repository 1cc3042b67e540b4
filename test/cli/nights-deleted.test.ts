import { expect } from "vitest";
import { scenario, write } from "../support/scenario.ts";

const ROWS = ["551001;13/07/2016;10,50", "551002;14/07/2016;20,50", "551003;15/07/2016;30,50"] as const;
const CORRECTED = "551001;13/07/2016;11,50";
const csv = (...rows: readonly string[]): string =>
  ["num_commande;date_billed;actual_billable_amount", ...rows, ""].join("\n");

scenario(
  "ledger remove says how many of a file's records the ledger holds",
  { "a.csv": csv(...ROWS), "none.csv": csv(CORRECTED), "one.csv": csv(CORRECTED, ROWS[1]) },
  [
    ["push a.csv", 0],
    ["ledger remove none.csv", 0, "0 of 1 create taken out of the ledger; it does not hold the 1 with"],
    [
      "ledger remove one.csv",
      0,
      "1 of 2 creates taken out of the ledger: a later push creates them again; it does not hold the other 1 with",
    ],
  ],
);

const IDENTITY = "--exports full --identify-by num_commande";
scenario(
  "ledger remove takes out a corrected record that got its identity after it was created",
  { "a.csv": csv(...ROWS), "deleted.csv": csv(CORRECTED) },
  [
    ["push a.csv", 0],
    [`ledger add a.csv ${IDENTITY}`, 0],
    write("a.csv", csv(CORRECTED, ...ROWS.slice(1))),
    [`push a.csv ${IDENTITY}`, 4, "1 create was created before with other values"],
    [`ledger remove deleted.csv ${IDENTITY}`, 0, "1 of 1 create taken out of the ledger"],
    // No entry without identity is left, which would cause a question.
    write("a.csv", csv(CORRECTED, ...ROWS.slice(1), "551004;16/07/2016;40,50")),
    [`push a.csv ${IDENTITY}`, 0],
    [`push a.csv ${IDENTITY}`, 0],
    ({ numbers }) => expect(numbers()).toHaveLength(5),
  ],
);
