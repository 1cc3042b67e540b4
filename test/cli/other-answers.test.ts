import { describe, expect, it } from "vitest";
import { splitFor } from "../../src/model/text.ts";
import { type Behaviour, startService } from "../send/support/http-service.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";
import { expectEnd } from "../support/scenario.ts";

/** Answers with status 200 that are not the specified success. */
const NO_SUCCESS: readonly object[] = [
  { msg: "Something went wrong" },
  { msg: "9 of 10 items updated." },
  { msg: "Update Items OK.", errors: ["row 3"] },
  { success: false, msg: "Update Items OK." },
];

const KINDS = {
  updates: `cle,num_commande\n${Array.from({ length: 9 }, (_, at) => `A${at},${551_000 + at}\n`).join("")}`,
  creates: `num_commande\n${Array.from({ length: 9 }, (_, at) => `${551_000 + at}\n`).join("")}`,
};

/** A service, and commands that push to it. */
async function openService(behave: Behaviour) {
  const http = await startService(behave);
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: http.url, REC_PUSH_TOKEN: "a-token" };
  return {
    http,
    run: (argv: readonly string[], more: Record<string, string> = {}) =>
      runMain(argv, { env: { ...env, ...more }, others: "nothing" }),
  };
}

const saying =
  (body: object): Behaviour =>
  (_, response) =>
    response.end(JSON.stringify(body));

/** Each request's number of records, in words of the service's own. */
const counting: Behaviour = ({ records }, response) =>
  response.end(JSON.stringify({ msg: `${records.length} items updated.` }));

describe("a 200 that is not the specified success", () => {
  it.each(NO_SUCCESS)("%j is no success: updates failed, exit 6; creates in doubt, exit 8", async (body) => {
    const { http, run } = await openService(saying(body));
    const shown =
      "errors" in body || Object.keys(body).length > 1 ? JSON.stringify(body) : Object.values(body)[0];
    for (const [kind, code, outcome] of [
      ["updates", 6, "9 failed"],
      ["creates", 8, "1 in doubt"],
    ] as const) {
      const file = await makeFile("orders.csv", KINDS[kind]);
      const {
        code: ended,
        stdout,
        stderr,
      } = await run([file, "--table", kind, "--delimiter", ",", "--quiet"]);
      expect({ ended, stdout }).toEqual({ ended: code, stdout: expect.stringContaining(outcome) });
      expect(stderr).toContain(`answers 200 with other words than "Update Items OK.": ${String(shown)}`);
      expect(stderr.includes("--ok-msg")).toBe(Object.keys(body).length === 1);
    }
    expect(http.requests).toHaveLength(2);
  });

  it("names the option that accepts its words: pasted, the same command goes on", async () => {
    const { http, run } = await openService(counting);
    const file = await makeFile("orders.csv", KINDS.updates);
    const argv = [file, "--table", "commandes", "--batch-size", "4"];
    const first = await run([...argv, "--concurrency", "1"]);
    expect([first.code, first.stdout]).toEqual([6, expect.stringContaining("4 failed, 5 not sent")]);
    const option = /--ok-msg .*?(?= accepts)/.exec(first.stderr)![0];
    expect(option).toBe('--ok-msg "{n} items updated."');
    await expectEnd(run([...argv, ...splitFor("posix", option)]), 0, "9 accepted");
    expect(http.requests.map(({ records }) => records.length)).toEqual([4, 4, 4, 1]);
  });

  it("is accepted by the step for the create that it left in doubt, which sends the others, and again nothing", async () => {
    const { http, run } = await openService(counting);
    const pushed = await run([await makeFile("orders.csv", KINDS.creates), "--table", "commandes"]);
    const [, step = ""] = /if they are there: rec-push (resume .*)/.exec(pushed.stdout) ?? [];
    await expectEnd(run(splitFor("posix", step)), 0, "9 accepted");
    expect(http.requests.map(({ records }) => records.length)).toEqual([1, 1, 7]);
    await expectEnd(run(splitFor("posix", step)), 0, "was decided before");
    expect(http.requests).toHaveLength(3);
  });

  it("is accepted by a resume that names its words, and by each later one", async () => {
    const { run } = await openService(counting);
    const file = await makeFile("orders.csv", KINDS.updates);
    await run([file, "--table", "commandes"]);
    await expectEnd(run(["resume", "--ok-msg", "{n} items updated."]), 0, "9 accepted");
  });

  it("is accepted by a profile whose okMessages name its words, commas and all", async () => {
    const { run } = await openService(({ records }, response) =>
      response.end(JSON.stringify({ msg: `Done, ${records.length} of ${records.length}` })),
    );
    const config = await makeFile(
      "own.json",
      JSON.stringify({ profiles: { own: { okMessages: ["OK", "Done, {n} of {n}"] } } }),
    );
    const file = await makeFile("orders.csv", KINDS.creates);
    const argv = [file, "--table", "commandes", "--config", config, "--profile", "own"];
    await expectEnd(run(argv), 0, "9 accepted");
  });

  it.each([
    ["holds a secret", "token a-token is old"],
    ["is too long to be shown", "x".repeat(400)],
    ["holds what a terminal obeys", "\u001B[2Jdone"],
  ])("has no option if its text %s", async (_, msg) => {
    const { run } = await openService(saying({ msg }));
    await expectEnd(run([await makeFile("orders.csv", KINDS.updates), "--table", "commandes"]), 6, {
      not: "--ok-msg",
    });
  });

  it("ends the run by its own reason, however few failures --max-failed allows", async () => {
    const { run } = await openService(saying({ msg: "Error" }));
    const argv = ["--table", "commandes", "--max-failed", "1"];
    const { code } = await run([await makeFile("orders.csv", KINDS.updates), ...argv]);
    expect(code).toBe(6);
  });
});
