import { describe, expect } from "vitest";
import { faults, paste, scenario, type Step } from "../support/scenario.ts";

const FILES = { "orders.csv": ["num_commande,note", "1,a", "2,b", "3,BAD", "4,d", ""].join("\n") };
const PUSH = "push orders.csv --type note=text --batch-size 3 --concurrency 1";
const areNot = /if they are not: rec-push (resume .*)$/m;
const onlySome = /if only some are there: .*?: rec-push (resume .*)$/m;

describe("the bad record of a request that the service refused is found by the step that is printed", () => {
  for (const [where, ...steps] of [
    ["by the push", paste(areNot, 4, "1 refused")],
    // Nothing was deleted, as none of them is there: the refusal leads on.
    [
      "by the push, for some",
      paste(onlySome, 2),
      paste(/none of them is there: rec-push (.*)$/m, 8),
      paste(areNot, 4, "1 refused"),
    ],
    ["by rec-push runs", ["runs", 0], paste(areNot, 4, "1 refused")],
    ["by the same command again", [PUSH, 8], paste(areNot, 4, "1 refused")],
  ] as readonly (readonly [string, ...Step[]])[])
    scenario(where, FILES, [
      faults("status=400,match=BAD"),
      [PUSH, 8],
      ...steps,
      ({ numbers }) => {
        expect(new Set(numbers())).toEqual(new Set(["1", "2", "4"]));
        expect(numbers()).toHaveLength(3);
      },
    ]);
});
