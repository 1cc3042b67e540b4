import { describe, expect, it } from "vitest";
import { splitFor } from "../../src/model/text.ts";
import { type Behaviour, startService } from "../send/support/http-service.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import {
  expectEnd,
  faults,
  holdsOnce,
  killAtHang,
  proven,
  scenario,
  type Step,
  write,
} from "../support/scenario.ts";
import { makeFile } from "../support/temp-files.ts";

const csv = (...rows: readonly string[]): string => ["cle;num_commande", ...rows, ""].join("\n");
const numbered = (count: number, key = ""): string[] =>
  Array.from({ length: count }, (_, at) => `${key && `${key}${at}`};${551_000 + at}`);

describe("compress in the config", () => {
  const config = (section: object): Step =>
    write("rec-push.config.json", JSON.stringify({ tables: { commandes: section } }));
  const rows = Array.from({ length: 100 }, (_, at) => `A${at};${"7".repeat(90)}`);
  scenario(
    "sends the same records, and leaves batchBytes to count the unpacked bytes",
    {
      "a.csv": csv(...rows),
    },
    [
      config({ compress: "gzip", batchBytes: 2000 }),
      ["push a.csv --type num_commande=text", 0],
      ({ sandbox, held }) => {
        expect(sandbox.requests().requests).toBeGreaterThanOrEqual(6);
        expect(new Set(held().map(({ cle, num_commande: number }) => `${cle};${number}`))).toEqual(
          new Set(rows),
        );
      },
      faults("status=415"),
      ["push a.csv --type num_commande=text", 6, 'leave "compress" out of the config'],
      config({ compress: "zip" }),
      ["push a.csv", 2, 'tables.commandes.compress: "zip": expected gzip'],
    ],
  );
});

describe("what the user knows of the service", () => {
  const FILES = { "a.csv": csv(...numbered(6)) };
  scenario("sends creates again after a status that --safe-status names", FILES, [
    faults("status=503,kind=create,times=1"),
    ["push a.csv --safe-status 503", 0, "6 accepted"],
    holdsOnce(6),
  ]);
  scenario("finds the refused create of a batch with --atomic-batches", FILES, [
    proven("cle;num_commande\n;990000\n"),
    faults("refuse=num_commande:551003"),
    ["push a.csv --atomic-batches --exports delta", 4, "5 accepted, 1 refused"],
  ]);
});

describe("--idempotency-key", () => {
  const COUNT = 40;
  const FILES = { "orders.csv": csv(...numbered(COUNT)) };
  const PUSH = "push orders.csv --concurrency 3 --batch-size 7";
  scenario("sends creates again if their answers are lost, and creates none of them twice", FILES, [
    faults("drop=after,kind=create,times=4", "honour-keys"),
    [`${PUSH} --idempotency-key`, 0, `${COUNT} accepted`],
    holdsOnce(COUNT),
  ]);
  scenario("lets no other process send again what a killed one left in doubt", FILES, [
    faults("hang,after-applying,kind=create,skip=2", "honour-keys"),
    killAtHang(`${PUSH} --idempotency-key`),
    faults("honour-keys"),
    ["resume", 8, /rec-push resume \S+ --in-doubt \S+=applied/],
    ({ numbers }) => expect(new Set(numbers()).size).toBe(numbers().length),
  ]);
  scenario("is off unless it is asked for", FILES, [
    faults("drop=after,kind=create,skip=1,times=1", "honour-keys"),
    [PUSH, 8],
    holdsOnce(COUNT),
  ]);
});

const updates = (count: number): string =>
  `cle,num_commande\n${Array.from({ length: count }, (_, at) => `A${at},${551_000 + at}\n`).join("")}`;
const FILES = { "ten.csv": updates(10), "many.csv": updates(64) };
const ONE_BY_ONE = "--batch-size 1 --concurrency 1 --retries 0";

describe("a service in trouble", () => {
  scenario(
    "that keeps failing is left alone after --max-failed batches in a row; the same command goes on",
    FILES,
    [
      faults("status=500,skip=2"),
      [
        `push ten.csv ${ONE_BY_ONE} --max-failed 3`,
        7,
        "10 rows read: 2 accepted, 3 failed, 5 not sent",
        "3 batches in a row failed or are in doubt",
        "Next: run the same command again",
      ],
      [
        "runs --json",
        0,
        { tells: { state: "unfinished", accepted: 2, failed: 3, notSent: 5, exitCode: 7 } },
        /"next":\["rec-push resume \S+ sends the rest"\]/,
      ],
      ["runs", 0, "  exit 7: 3 batches in a row failed"],
      faults(),
      ["push ten.csv", 0, "10 rows read: 10 accepted"],
      ["runs --json", 0, { tells: { state: "finished", next: [] } }],
    ],
  );
  scenario("that asks to wait for longer than --max-wait ends the run, naming the time", FILES, [
    faults("status=429,retry-after=600"),
    [
      "push ten.csv --max-wait 9m",
      7,
      "the service asks to wait 10 min in total: 429",
      "--max-wait",
      "10 rows read: 10 not sent",
    ],
    ["runs --json", 0, { tells: { state: "unfinished", notSent: 10 } }],
    faults(),
    ["resume", 0, "10 rows read: 10 accepted"],
  ]);
  scenario("that takes four requests a second refuses none of a push with a lower --rate", FILES, [
    faults("rate=4"),
    ["push many.csv --batch-size 8 --max-wait 0s --rate 3", 0, "64 accepted"],
    ["push ten.csv --batch-size 1 --max-wait 0s --rate 1000", 7, "429"],
  ]);
  scenario("that refuses every record is found out after twenty", FILES, [
    faults("status=422,msg=No such field."),
    [
      "push many.csv --concurrency 1",
      4,
      "the service refused 20 records in a row, each sent alone (422): No such field.",
      "64 rows read: 20 refused, 44 not sent",
    ],
    ["runs --json", 0, { tells: { state: "unfinished", refused: 20, notSent: 44 } }],
  ]);
  scenario(
    "that fails an update keeps the later rows with its key back, and a resume keeps their order",
    { "a.csv": "cle,state\nA1,old\nA2,x\nA1,new\nA3,x\n" },
    [
      faults("status=500,match=old"),
      [`push a.csv ${ONE_BY_ONE}`, 7, "4 rows read: 2 accepted, 1 failed, 1 not sent"],
      ["runs --json", 0, { tells: { state: "unfinished", failed: 1, notSent: 1 } }],
      faults(),
      [
        `push a.csv ${ONE_BY_ONE} --json`,
        0,
        /"event":"batch".*"line":2\b[^]*"event":"batch".*"line":4\b/,
        { not: /"event":"batch"[^]*"event":"batch"[^]*"event":"batch"/ },
      ],
      ({ held }) => expect(held()).toContainEqual({ cle: "A1", state: "new" }),
    ],
  );
});

/** Answers with status 200 that are not the specified success. */
const NO_SUCCESS: readonly object[] = [
  { msg: "Something went wrong" },
  { msg: "Update Items OK.", errors: ["row 3"] },
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
});
