import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { optionTexts } from "../../src/library/begin-command.ts";
import { check, type CheckOptions, push, PushError } from "../../src/library/index.ts";
import { readValues } from "../../src/options/read-values.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeFile } from "../support/temp-files.ts";
import { endOf, makeEnv, openRecorder, pushInto } from "./support.ts";

const variable = "REC_PUSH_TOKEN_FILE";
let before: string | undefined;
beforeEach(() => (before = process.env[variable]));
afterEach(() => {
  if (before === undefined) delete process.env[variable];
  else process.env[variable] = before;
});

describe("options that a program gives", () => {
  it.each([
    [{ batchSize: 0 }, "bad-option-value"],
    [{ batchSize: true }, "bad-option-value"],
    [{ grace: "soon" }, "bad-option-value"],
    [{ again: "yes" }, "bad-option-value"],
    [{ drop: "a,b" }, "bad-option-value"],
    [{ map: ["a=b"] }, "bad-option-value"],
    [{ map: { a: "b=c" } }, "bad-option-value"],
    [{ set: { "a=b": "c" } }, "bad-option-value"],
    [{ httpHeader: { "@/etc/passwd": "x" } }, "bad-option-value"],
    [{ batchsize: 5 }, "unknown-option"],
    [{ json: true }, "unknown-option"],
    [{ token: undefined }, "missing-token"],
    [{ url: undefined }, "missing-url"],
  ])("%j are refused before anything is read", async (options, code) => {
    const recorder = await openRecorder();
    const { error, events } = await endOf(pushInto(recorder, "no-such-file.csv", options as object));
    expect(error).toBeInstanceOf(PushError);
    expect(error).toMatchObject({ code, kind: "usage", summary: { exitCode: 2 } });
    expect(events.map(({ event }) => event)).toEqual(["error", "summary"]);
    expect(recorder.bodies).toEqual([]);
  });

  it.each([5, null, {}, [], "", { bytes: "a", rows: [] }, new URL("http://localhost/x"), [3], { bytes: 5 }])(
    "the input %j is refused",
    async (input) => {
      const { error } = await endOf(push(input as string, { sandbox: true, table: "t", env: makeEnv() }));
      expect(error).toBeInstanceOf(PushError);
      expect(["wrong-usage", "bad-input"]).toContain((error as PushError).code);
    },
  );

  it("mean what they mean on a command line", () => {
    const texts = optionTexts("push", {
      map: { "Order, No": "num_commande", "a=b": "c" },
      drop: ["x,y", "z"],
      set: { source: "a=b" },
      httpHeader: { "X-Tenant": "7" },
      header: false,
      again: false,
      batchSize: 20,
      timeout: "5s",
      type: { date_paid: "date:DD/MM/YYYY" },
    });
    const values = readValues(texts);
    expect(values).toMatchObject({
      map: [
        { column: "Order, No", field: "num_commande" },
        { column: "a=b", field: "c" },
      ],
      drop: ["x,y", "z"],
      httpHeader: ["X-Tenant: 7"],
      header: false,
      again: false,
      batchSize: 20,
      timeout: 5000,
    });
    expect(values.set?.get("source")).toBe("a=b");
  });

  it("are told apart from check's: check sends nothing and writes records", async () => {
    const file = await makeFile("a.csv", "num_commande;b\n7;x\n");
    const records = await makeFile("records.ndjson", "");
    const options: CheckOptions = { records, otherColumns: "drop" };
    const summary = await check(file, { ...options, env: makeEnv() }).summary();
    expect(summary).toMatchObject({ exitCode: 0, read: 1, accepted: 0 });
    const { readFile } = await import("node:fs/promises");
    expect(await readFile(records, "utf8")).toBe('{"num_commande":"7"}\n');
    const toOutput = await endOf(check(file, { records: "-", env: makeEnv() }));
    expect(toOutput.error).toMatchObject({ code: "bad-option-value" });
    const pushing = await endOf(check(file, { batchSize: 5 }));
    expect(pushing.error).toMatchObject({ code: "unknown-option" });
  });

  it("never show what is secret", async () => {
    const sandbox = await openSandbox({ token: "tok-3f9a8b7c6d5e" });
    const secret = "h-9988776655aa";
    const attempts = [
      { token: secret },
      { httpHeader: { "X-Key": `${secret}\nX: 1` } },
      { query: { "a=b": secret } },
      { httpHeader: { "X-Key": secret }, batchSize: "x" },
      { url: `http://user:${secret}@127.0.0.1:1` },
      { token: `${secret} \u0000` },
    ];
    for (const options of attempts) {
      const { error, events } = await endOf(pushInto(sandbox, { rows: [{ num_commande: 1 }] }, options));
      expect(error).toBeInstanceOf(PushError);
      expect(inspect(error, { depth: 9 }) + JSON.stringify(events)).not.toContain(secret);
    }
    expect(heldBy(sandbox)).toEqual([]);
  });

  it("the environment given counts, and that of the process only without one", async () => {
    const sandbox = await openSandbox();
    process.env[variable] = await makeFile("token", sandbox.token);
    const rows = [{ num_commande: 1 }];
    const { url } = sandbox;
    const about = { url, table: "commandes", stateDir: makeEnv()["XDG_STATE_HOME"]! };
    const without = await endOf(push({ rows }, { ...about, env: makeEnv() }));
    expect(without.error).toMatchObject({ code: "missing-token" });
    expect((await push({ rows }, about).summary()).accepted).toBe(1);
  });
});
