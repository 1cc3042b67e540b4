import { writeFile } from "node:fs/promises";
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
      /no column goes to the key cle, and \S*orders\.csv, pushed on .* had keys: the 30 records.*--only creates/s,
    ),
  });
  expect(sandbox.store.snapshot("commandes")).toHaveLength(60);
  expect((await push([keyless, ...words, "--only", "creates"])).code).toBe(0);
  expect(sandbox.store.snapshot("commandes")).toHaveLength(90);
});

it("standard input without keys is no other file than before", async () => {
  const { push } = await openWorld();
  expect((await push(["-"], { stdin: "cle;num_commande\nC1;551001\n" })).code).toBe(0);
  expect((await push(["-"], { stdin: "num_commande\n551002\n" })).code).toBe(0);
});

it("an export that never had keys does not stop", async () => {
  const { push, sandbox } = await openWorld();
  expect((await push([await makeFile("orders.csv", KEYLESS)])).code).toBe(0);
  expect((await push([await makeFile("grown.csv", `${KEYLESS}551999\n`)])).code).toBe(0);
  expect(sandbox.store.snapshot("commandes")).toHaveLength(61);
});

it("an export whose column of keys has lost its values stops", async () => {
  const { push, sandbox } = await openWorld();
  const full = ["--exports", "full", "--identify-by", "num_commande"];
  expect((await push([await makeFile("orders.csv", KEYED), ...full])).code).toBe(0);
  const emptied = await makeFile("emptied.csv", KEYED.replaceAll(/^C\d+/gm, ""));
  const stopped = await push([emptied, ...full]);
  expect(stopped).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/no row has a key cle.*the 30 records .*--only creates/s),
  });
  expect(sandbox.store.snapshot("commandes")).toHaveLength(60);
});

it("an export in which few rows had keys does not stop once none has", async () => {
  const { push, sandbox } = await openWorld();
  const list = (count: number) => numbers.slice(0, count).map((n) => `;${n}`);
  const before = ["cle;num_commande", "C1;551999", ...list(30), ""].join("\n");
  expect((await push([await makeFile("orders.csv", before)])).code).toBe(0);
  const now = ["cle;num_commande", ...list(33), ""].join("\n");
  expect((await push([await makeFile("orders.csv", now)])).code).toBe(0);
  expect(sandbox.store.snapshot("commandes")).toHaveLength(34);
});

it("an export without keys does not stop because of another one that has keys", async () => {
  const { push, sandbox } = await openWorld();
  const full = ["--exports", "full", "--identify-by", "record"];
  expect((await push([await makeFile("new.csv", KEYLESS), ...full])).code).toBe(0);
  const corrections = "cle;num_commande\nC1;551998\n;551999\n";
  expect((await push([await makeFile("corrections.csv", corrections), ...full])).code).toBe(0);
  expect((await push([await makeFile("new.csv", `${KEYLESS}552000\n`), ...full])).code).toBe(0);
  expect(sandbox.store.snapshot("commandes")).toHaveLength(63);
});

it("a file of updates stops once its column of keys is gone, but not one of another name", async () => {
  const { push, sandbox } = await openWorld();
  const orders = await makeFile("orders.csv", "cle;num_commande\nC1;551001\nC2;551002\n");
  expect((await push([orders])).code).toBe(0);
  await writeFile(orders, "num_commande\n551001\n551002\n");
  const stopped = await push([orders]);
  expect(stopped).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/no column goes to the key cle.*the 2 records .*--only creates/s),
  });
  expect(sandbox.store.snapshot("commandes")).toHaveLength(2);
  expect((await push([await makeFile("new.csv", "num_commande\n551003\n551004\n")])).code).toBe(0);
  expect((await push([orders, "--only", "creates", "--exports", "delta"])).code).toBe(0);
  expect(sandbox.store.snapshot("commandes")).toHaveLength(6);
});
