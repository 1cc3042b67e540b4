import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** Writes a config from the first export, then pushes the next one with it. */
async function pushAfterInit(first: string, next: string, argv: readonly string[] = []) {
  const cwd = await makeDirectory();
  const file = join(cwd, "orders.json");
  await writeFile(file, first);
  const init = await runMain(["init", file, "--table", "commandes", "--yes", ...argv], {
    cwd,
    others: "nothing",
  });
  expect([init.code, init.stderr]).toEqual([0, ""]);
  await writeFile(file, next);
  const sandbox = await openSandbox();
  const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const pushed = await runMain([file, "--table", "commandes"], { cwd, env, others: "nothing" });
  return { ...pushed, held: heldBy(sandbox) };
}

describe("a push with the config that init wrote from a JSON file", () => {
  const keyed = '[{"cle":"A1","num_commande":1},{"cle":"A2","num_commande":2}]';

  it("stops if the key of all rows is gone, because each would be created", async () => {
    const { code, stderr, held } = await pushAfterInit(keyed, keyed.replaceAll('"cle"', '"uuid"'), [
      "--other-columns",
      "drop",
    ]);
    expect(stderr).toContain("the config expects the key cle, and no member goes to it");
    expect([code, held]).toEqual([3, []]);
  });

  it("goes on with new rows only, if some had no key before", async () => {
    const { code, held } = await pushAfterInit(
      '[{"cle":"A1","num_commande":1},{"num_commande":2}]',
      '[{"num_commande":3}]',
    );
    expect([code, held]).toEqual([0, [expect.objectContaining({ num_commande: "3" })]]);
  });

  it("goes on if an object is null in all rows, or a new member is", async () => {
    const nested = '[{"cle":"A1","num_commande":1,"customer":{"email":"a@b.example","zip":null}}]';
    const bare = '[{"cle":"A1","num_commande":1,"customer":null,"refund":null,"tags":[]}]';
    const { code, held } = await pushAfterInit(nested, bare, ["--flatten"]);
    expect([code, held]).toEqual([0, [{ cle: "A1", num_commande: "1" }]]);
  });

  it("asks about a member that was always empty, once it holds a value", async () => {
    const { code, stderr, held } = await pushAfterInit(
      '[{"cle":"A1","num_commande":1,"paid":null}]',
      '[{"cle":"A1","num_commande":1,"paid":"1 437,50"}]',
    );
    expect(stderr).toContain('member "paid" is not declared; it would be paid, amount ("1 437,50")');
    expect([code, held]).toEqual([3, []]);
  });

  it("gives such a member the type of its values, if other members are sent", async () => {
    const { held } = await pushAfterInit(
      '[{"cle":"A1","num_commande":1,"paid":null}]',
      '[{"cle":"A1","num_commande":1,"paid":"1 437,50"}]',
      ["--other-columns", "send"],
    );
    expect(held).toEqual([{ cle: "A1", num_commande: "1", paid: "1437.50" }]);
  });

  it("takes an answer with failures for an export, if init was told so", async () => {
    const answer = '{"errors":[{"field":"x"}],"data":[{"cle":"A1","num_commande":1}]}';
    const argv = ["--json-path", "data", "--type", "errors=text"];
    expect((await pushAfterInit(answer, answer, argv)).held).toEqual([{ cle: "A1", num_commande: "1" }]);
    const next = await pushAfterInit(answer.replace('{"field":"x"}', ""), answer, argv.slice(0, 2));
    expect(next.stderr).toContain("--type errors=text, if the member is no failure");
    expect([next.code, next.held]).toEqual([3, []]);
  });

  it("goes on with a file without rows", async () => {
    expect(await pushAfterInit(keyed, "[]")).toMatchObject({ code: 0, held: [] });
  });
});
