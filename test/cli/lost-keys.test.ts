import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const numbers = Array.from({ length: 60 }, (_, at) => 551_001 + at);
const KEYED = ["cle;num_commande", ...numbers.map((n) => `${n % 2 === 0 ? `C${n}` : ""};${n}`), ""].join(
  "\n",
);
const KEYLESS = ["num_commande", ...numbers, ""].join("\n");

it.each([
  ["without an option", []],
  ["with an identity", ["--exports", "full", "--identify-by", "num_commande"]],
])("an export that has lost its column of keys stops, %s", async (_, words) => {
  const { push, sandbox } = await openWorld();
  expect((await push([await makeFile("orders.csv", KEYED), ...words])).code).toBe(0);
  const keyless = await makeFile("keyless.csv", KEYLESS);
  const stopped = await push([keyless, ...words]);
  expect(stopped).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(
      /no column goes to the key cle, and \S*orders\.csv, pushed on .* had one.*--only creates/s,
    ),
  });
  expect(sandbox.store.snapshot("commandes")).toHaveLength(60);
  expect((await push([keyless, ...words, "--only", "creates"])).code).toBe(0);
  expect(sandbox.store.snapshot("commandes")).toHaveLength(90);
});

it("an export that never had keys does not stop", async () => {
  const { push, sandbox } = await openWorld();
  expect((await push([await makeFile("orders.csv", KEYLESS)])).code).toBe(0);
  expect((await push([await makeFile("grown.csv", `${KEYLESS}551999\n`)])).code).toBe(0);
  expect(sandbox.store.snapshot("commandes")).toHaveLength(61);
});
