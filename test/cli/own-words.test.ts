import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMessageRedactor, hideInFault } from "../../src/cli/line-secrets.ts";
import { answer, startService } from "../send/support/http-service.ts";
import { runMain } from "../support/run-main.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const ROWS = "cle,num_commande\nA1,551035\n";

describe("our own words, if the token is one of them", () => {
  it("stay in the message that no service is named", async () => {
    const { code, stderr } = await runMain([await makeFile("a.csv", ROWS), "-t", "t"], {
      env: { REC_PUSH_TOKEN: "sandbox" },
    });
    expect(code).toBe(2);
    expect(stderr).toContain("--sandbox pushes to a rehearsal service in this process");
  });

  it("stay in a path", async () => {
    const directory = join(await makeDirectory(), "commandes");
    await mkdir(directory);
    const missing = join(directory, "no", "r.csv");
    const env = { REC_PUSH_TOKEN: "commandes", REC_PUSH_URL: "http://127.0.0.1:1" };
    const argv = [await makeFile("a.csv", ROWS), "-t", "t", "--results", missing];
    expect((await runMain(argv, { env })).stderr).toContain(`the results cannot go to ${missing}: `);
  });

  it("stay in the table's name", async () => {
    const file = await makeFile("a.csv", ROWS);
    const init = ["init", file, "-t", "commandes", "--config", join(await makeDirectory(), "c.json")];
    const env = { REC_PUSH_TOKEN: "commandes" };
    await runMain(init, { env });
    const { code, stderr } = await runMain(init, { env });
    expect(code).toBe(2);
    expect(stderr).toContain("commandes");
    expect(stderr).not.toContain("***");
  });

  it("stay in the messages about the connection and about a late answer", async () => {
    const file = await makeFile("a.csv", ROWS);
    const argv = [file, "-t", "t", "--retries", "0"];
    const refused = { REC_PUSH_TOKEN: "refused", REC_PUSH_URL: "http://127.0.0.1:1" };
    expect((await runMain(argv, { env: refused })).stdout).toContain(
      "nothing listens there (connection refused)",
    );
    const { url } = await startService(() => undefined);
    const late = { REC_PUSH_TOKEN: "answer", REC_PUSH_URL: url };
    expect((await runMain([...argv, "--timeout", "100ms"], { env: late })).stdout).toContain(
      "no answer within 0.1 s",
    );
  });

  it("do not make the token readable where the service returns it", async () => {
    const { url } = await startService((_, response) => answer(response, 401, "no such key: commandes"));
    const env = { REC_PUSH_TOKEN: "commandes", REC_PUSH_URL: url };
    const { stderr } = await runMain([await makeFile("a.csv", ROWS), "-t", "commandes"], { env });
    expect(stderr).toContain(
      `${url}/api/items/commandes/ refuses the token (401): (hidden: it repeats a secret)`,
    );
  });
});

describe("createMessageRedactor", () => {
  it.each([
    ["--sandbox is a service of its own", "--sandbox is a service of its own"],
    ['--rate "sandbox": expected a number', '--rate "***": expected a number'],
    [
      "option '--auth <how>' argument 'sandbox' is invalid",
      "option '--auth <how>' argument '***' is invalid",
    ],
    ['the table "orders" is there', 'the table "orders" is there'],
    ["mkdir '/srv/sandbox/state'", "mkdir '/srv/sandbox/state'"],
    ['"sandbox.csv" and "my-sandbox"', '"sandbox.csv" and "my-sandbox"'],
    ['"Bearer sandbox"', '"Bearer ***"'],
    ['a number of at least 1, not "1"', 'a number of at least 1, not "***"'],
    ["a token of letters and digits: t0ken-42x", "a token of letters and digits: ***"],
  ])("turns %s into: %s", (text, expected) => {
    expect(createMessageRedactor(["sandbox", "orders", "1", "t0ken-42x"], ["orders"])(text)).toBe(expected);
  });
});

describe("a fault of rec-push", () => {
  it("is reported without the token, with the files of its stack", () => {
    const fault = new Error("it broke at sandbox");
    fault.stack = `Error: it broke at sandbox\n    at sandbox (file:///srv/sandbox/dist/door.js:1:2)`;
    const hidden = hideInFault(fault, ["sandbox"]);
    expect(hidden.message).toBe("(hidden: it repeats a secret)");
    expect(hidden.stack).toBe(
      "(hidden: it repeats a secret)\n    at sandbox (file:///srv/sandbox/dist/door.js:1:2)",
    );
  });
});
