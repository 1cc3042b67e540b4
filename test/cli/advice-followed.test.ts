import { readFile } from "node:fs/promises";
import { describe, expect } from "vitest";
import { edit, faults, paste, scenario, type Step } from "../support/scenario.ts";

const csv = (...numbers: readonly number[]): string => ["num_commande", ...numbers, ""].join("\n");
const ONE = { "orders.csv": csv(1, 2, 3, 4, 5, 6) };
const TWO = { "a.csv": csv(1, 2, 3), "b.csv": csv(4, 5, 6) };
const KEYED = { "orders.csv": `cle,${csv(1, 2, 3, 4, 5, 6).replaceAll(/^\d/gm, "A$&,$&")}` };
const ODD = { "orders.csv": "num_commande,date_billed\n1,2016-01-02\n2,x\n3,2016-01-02\n" };
const [THERE, LOST] = ["drop=after,kind=create,times=1", "drop=before,kind=create,times=1"] as const;
const QUICK = "--retries 0 --late 1s";
const SKIP = "--on-invalid skip";

const areThere = /if they are there: rec-push (.*)$/m;
const onlySome = /if only some are there: .*?: rec-push (.*)$/m;
const mended = [
  edit("orders.rejects.csv", "2,x", "2,2016-01-03"),
  paste(/mend the 1 row .*?: rec-push (.*)$/m, 0),
] as const;
/** The service has the records 2 and 3 of those in doubt. */
const deleteTwo: Step = async ({ directory, file }) => {
  const text = await readFile(`${directory}/orders.in-doubt.csv`, "utf8");
  await file("orders.in-doubt.csv", text.replaceAll(/^.*[;,][23]\n/gm, ""));
};
const again = "the same command again";

/** How a push ended, and the steps that are right for what the service then holds. */
type Ending = readonly [
  name: string,
  faults: readonly string[],
  files: Readonly<Record<string, string>>,
  words: string,
  exit: number,
  ...steps: readonly (Step | typeof again)[],
];
const BESIDE_REJECTS: Ending = [
  "creates in doubt beside rows that were left out",
  [THERE],
  ODD,
  `${SKIP} ${QUICK}`,
  8,
  paste(areThere, 4),
  ...mended,
];
const ENDINGS: readonly Ending[] = [
  ["creates in doubt that are there", [THERE], ONE, QUICK, 8, paste(areThere, 0)],
  [
    "creates in doubt that are not there",
    [LOST],
    ONE,
    QUICK,
    8,
    paste(/if they are not: rec-push (\S+ \S+ --in-doubt \S+=resend)/, 0),
  ],
  [
    "creates in doubt of which none is there, though some may be",
    [LOST.replace("times", "skip=1,times")],
    ONE,
    QUICK,
    8,
    // Nothing was deleted: the refusal leads on.
    paste(onlySome, 2),
    paste(/ none of them is there: rec-push (.*)$/m, 0),
  ],
  [
    "creates in doubt of which some are there",
    ["status=504,after-applying=2,kind=create,skip=1,times=1"],
    ONE,
    QUICK,
    8,
    deleteTwo,
    paste(onlySome, 0),
  ],
  [
    "doubt in the first file, and a second one that was not sent",
    [THERE, "status=401,skip=1"],
    TWO,
    QUICK,
    8,
    paste(/if they are there: rec-push (\S+ \S+ --in-doubt \S+)/, 0),
  ],
  ["a service that is away", ["drop=before"], KEYED, QUICK, 7, again],
  ["a token that is refused", ["status=401"], TWO, QUICK, 5, again],
  ["a request that is refused", ["status=404"], ONE, QUICK, 6, again],
  [
    "a run given up because the address was wrong",
    ["status=404"],
    ONE,
    QUICK,
    6,
    paste(/if the URL or the table was wrong.*?rec-push (runs abandon \S+)/, 0),
  ],
  ["rows that were left out, once they are mended", [], ODD, SKIP, 4, ...mended],
  BESIDE_REJECTS,
];

describe("the step that is printed leaves every record there once, also if the command is repeated then", () => {
  for (const [name, given, files, words, exit, ...steps] of ENDINGS) {
    const line = `push ${Object.keys(files).join(" ")} ${words}`;
    scenario(`after ${name}`, files, [
      faults(...given),
      [line, exit, "Next: "],
      faults(),
      ...steps.map((step): Step => (step === again ? [line, 0] : step)),
      [line, 0],
      ({ numbers }) => {
        const all = files === ODD ? ["1", "2", "3"] : ["1", "2", "3", "4", "5", "6"];
        expect(new Set(numbers())).toEqual(new Set(all));
        expect(numbers()).toHaveLength(all.length);
      },
    ]);
  }
});
