import { decide, faults, holds, holdsOnce, proven, scenario, write } from "../support/scenario.ts";

const HEADER = "num_commande;date_billed;actual_billable_amount\n";
const rows = (count: number, amount = ",50"): string =>
  HEADER + Array.from({ length: count }, (_, at) => `${551_001 + at};13/07/2016;1${at}${amount}\n`).join("");
const LOST = faults("drop=before,kind=create,times=1", "status=401,skip=1");
const IDENTITY = ">push a.csv --exports full --identify-by num_commande";
const RECORD = ">push a.csv --exports full";
const SLOWLY = `${RECORD} --batch-size 1 --concurrency 1`;

scenario(
  "a record in doubt whose values have changed since is in doubt, not created with other values",
  { "a.csv": rows(1) },
  [
    LOST,
    [IDENTITY, 8],
    faults(),
    write("a.csv", rows(1, ",70")),
    [`${IDENTITY} --results r.ndjson`, 8, "is in doubt since the run", { not: "with other values" }],
    holds("r.ndjson", "an earlier push left it in doubt"),
    decide("absent", 0),
    [IDENTITY, 0],
    holdsOnce(1),
  ],
);

for (const answer of ["absent", "resend"] as const)
  scenario(
    `records in doubt are found by an identity that is given later, and created once they are said to be ${answer}`,
    { "a.csv": rows(5) },
    [
      proven(`${HEADER}990000;13/07/2016;1,50\n`),
      LOST,
      [RECORD, 8],
      faults(),
      write("a.csv", rows(6).replace("551003;13/07", "551003;14/07")),
      [IDENTITY, 8, "5 of these are in doubt since"],
      holdsOnce(1),
      write("a.csv", rows(5)),
      decide(answer, 0),
      write("a.csv", rows(7)),
      [IDENTITY, 0],
      holdsOnce(7),
    ],
  );

scenario(
  "a run that is not at its end never sends a record said to be absent, and leaves it to a push after it, which it names",
  { "a.csv": rows(4) },
  [
    LOST,
    [SLOWLY, 8],
    faults("status=401"),
    decide("absent", 5),
    faults(),
    [SLOWLY, 0, "3 accepted, 1 not sent", "push the same file again"],
    holdsOnce(3),
    [SLOWLY, 0, { not: "Next:" }],
    holdsOnce(4),
  ],
);

scenario(
  "a record said to be absent and meanwhile added to the ledger is not created by a push after it",
  { "a.csv": rows(4), "there.csv": rows(1) },
  [
    faults("drop=after,kind=create,times=1", "status=401,skip=1"),
    [SLOWLY, 8],
    holdsOnce(1),
    faults("status=401"),
    decide("absent", 5),
    faults(),
    [">ledger add there.csv", 0],
    [SLOWLY, 0],
    [SLOWLY, 0, "skipped"],
    holdsOnce(4),
  ],
);

const DELTA = "--exports delta --batch-size 1 --concurrency 1";
scenario(
  "rows of a delta that a repeat has sent are not created by a file that held them meanwhile",
  { "first.csv": rows(4), "both.csv": rows(6) },
  [
    faults("drop=before,kind=create,times=1"),
    [`>push first.csv ${DELTA}`, 8],
    [`>push both.csv ${DELTA}`, 8],
    decide("absent", 0),
    // Each of the two is a step that was printed.
    [`>push first.csv ${DELTA}`, 0],
    [`>push both.csv ${DELTA}`, 0],
    holdsOnce(6),
  ],
);
