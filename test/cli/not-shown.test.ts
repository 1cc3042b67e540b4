import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { quoteCell } from "../../src/files/results.ts";
import { escapeHidden, isVisible } from "../../src/model/text.ts";
import { answer, startService } from "../send/support/http-service.ts";
import { makeStateHome } from "../support/run-main.ts";
import { inEnv, nothingSent, scenario, type Step, typed, write } from "../support/scenario.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const CODES = "\u001B[31mX\u009B5m\u202E\u2028\u2066\u0007";
const SECRET = "s3cr3tK3yAbCdEf";
const FILES = { "a.csv": "cle,num_commande\nA1,1\n" };
const HIDDEN = { not: new RegExp(SECRET, "i") };

describe("hidden characters", () => {
  const isAllVisible: Step = ({ last }) => {
    for (const line of `${last.stdout}${last.stderr}`.split("\n")) expect(line).toSatisfy(isVisible);
  };
  const lines = [
    `check 'no${CODES}.csv'`,
    `>'--un${CODES}'`,
    `>runs '${CODES}'`,
    `push a.csv --sandbox --results 'no${CODES}/x'`,
    `push a.csv --ca 'a/${CODES}'`,
  ];
  scenario("are escapes in errors, in words and with --json, and in the command that init prints", FILES, [
    ...lines
      .flatMap((line) => [line, `${line} --json`])
      .flatMap((line): Step[] => [[line, line.startsWith("check") ? 3 : 2, /u202e/], isAllVisible]),
    [`init a.csv -t 't${CODES}'`, 0, "push with: "],
    isAllVisible,
  ]);

  it("are escapes in JSON that means the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const escaped = escapeHidden(JSON.stringify({ text }));
        expect(escaped).toSatisfy(isVisible);
        expect(JSON.parse(escaped)).toEqual({ text });
      }),
    );
  });
});

describe("cells of results", () => {
  it.each(["=1", "+1", "-1+cmd|'/c calc'!A1", "@x", "\t=1", "\r=1", "＝1", "＋1", "－1", "＠x"])(
    "are no formula: %j",
    (text) => expect(quoteCell(text, ",")).toMatch(/^"?'/),
  );
  it.each(["-12", "-12.5", "A-1", "1=1"])("are as they are: %j", (text) =>
    expect(quoteCell(text, ";")).toBe(text),
  );
});

describe("a secret in a wrong place", () => {
  for (const line of [
    `push a.csv --json --url 'https://host.example:${SECRET}/'`,
    `push a.csv --json --url 'https:///user:${SECRET}＠host example'`,
    `push a.csv --json --url ${SECRET}`,
    `push a.csv --url 'https://me:${SECRET}@records.example'`,
    `>--token=${SECRET} a.csv`,
    `push a.csv '--http-headr=X: ${SECRET}'`,
    `push a.csv -H ${SECRET}`,
    `push a.csv --query ${SECRET}`,
    `push a.csv --token-file ./${SECRET}`,
  ])
    scenario(`is not repeated: ${line}`, FILES, [
      inEnv({ REC_PUSH_TOKEN: SECRET }),
      [line, 2, /error/, HIDDEN],
      nothingSent,
    ]);
  for (const url of ["records.example:8080"])
    scenario(`leaves a URL that lacks its scheme shown: ${url}`, FILES, [
      [`push a.csv --url ${url}`, 2, `"${url}"`],
    ]);
});

describe("our own words, if the token is one of them, stay", () => {
  const token = (word: string): Step => inEnv({ REC_PUSH_TOKEN: word });
  scenario("in messages about what is missing, paths, the table's name and the connection", FILES, [
    token("commandes"),
    ["push a.csv --results commandes/no/r.csv", 2, "the results cannot go to commandes/no/r.csv: "],
    ["init a.csv", 0],
    ["init a.csv", 2, "commandes", { not: "***" }],
    inEnv({ REC_PUSH_URL: "" }),
    token("sandbox"),
    ["push a.csv", 2, "--sandbox pushes to a rehearsal service in this process"],
    inEnv({ REC_PUSH_URL: "http://127.0.0.1:1" }),
    token("refused"),
    ["push a.csv --retries 0", 7, "nothing listens there (connection refused)"],
  ]);
  scenario("in what is said of a late answer, but not where the service returns the token", FILES, [
    async ({ env }) => {
      const { url } = await startService(({ number }, response) => {
        if (number > 1) answer(response, 401, "no such key: commandes");
      });
      Object.assign(env, { REC_PUSH_URL: url });
    },
    token("answer"),
    ["push a.csv --retries 0 --timeout 100ms", 7, "no answer within 0.1 s"],
    token("commandes"),
    typed(
      () => "push a.csv --late 0s",
      5,
      "/api/items/commandes/ refuses the token (401): (hidden: it repeats a secret)",
    ),
  ]);
});

describe("headers of a file", () => {
  let http: Awaited<ReturnType<typeof startService>>;
  const open =
    (status: number): Step =>
    async ({ env }) => {
      http = await startService((_, response) => answer(response, status));
      Object.assign(env, { REC_PUSH_URL: http.url });
    };
  const sent =
    (headers: Readonly<Record<string, string>>): Step =>
    () =>
      expect(http.requests.at(-1)?.headers).toMatchObject(headers);
  const usual: Step = ({ env, directory }) =>
    Object.assign(env, { REC_PUSH_HEADERS_FILE: join(directory, "usual.txt") });
  const named = `\uFEFF# for the gateway\r\nX-One: ${SECRET}\r\n\r\nX-Two: 2\r\n`;
  const files = { ...FILES, "named.txt": named, "usual.txt": "X-Two: usual\nX-Three: 3\n", nameless: SECRET };
  /** The line names a file by its whole path. */
  const push = (file: string, exit: number, ...says: Parameters<typeof typed>[2][]): Step =>
    typed(
      ({ directory }) => `push a.csv --retries 0 '-H@${directory}/${file}' -H 'X-Four: 4'`,
      exit,
      ...says,
      HIDDEN,
    );

  scenario("are sent like those of the line, which come before those of the environment's file", files, [
    open(200),
    usual,
    push("named.txt", 0),
    sent({ "x-one": SECRET, "x-two": "2", "x-three": "3", "x-four": "4" }),
  ]);
  scenario("are asked for again by resume, which takes them from the file of the environment", files, [
    open(500),
    push("named.txt", 7),
    ["resume --retries 0 -H 'X-Four: 4' -H 'X-Two: 2'", 2, '-H "X-One: ..."'],
    usual,
    write("usual.txt", named),
    ["resume --retries 0 -H 'X-Four: 4'", 7, HIDDEN],
    sent({ "x-one": SECRET }),
  ]);
  scenario("stop the push where the file cannot be trusted or read, without its content", files, [
    open(200),
    ({ directory }) => chmod(join(directory, "named.txt"), 0o666),
    push("named.txt", 2, "everyone on this machine can write"),
    push("gone", 2, "cannot read the file of headers"),
    push("nameless", 2, "has no name before a colon"),
    () => expect(http.requests).toHaveLength(0),
  ]);
});

it("a fault of rec-push shows its stack without the token, wherever that came from", async () => {
  const tokenFile = await makeFile("token", SECRET);
  await chmod(tokenFile, 0o600);
  const argv = [await makeFile("rows.csv", FILES["a.csv"]), "-t", "t", "-u", "http://127.0.0.1:1"];
  for (const [more, env] of [
    [["--token-file", tokenFile], {}],
    [["-H", `X-Key: ${SECRET}`], { REC_PUSH_TOKEN: SECRET }],
    [[], { REC_PUSH_TOKEN: "another", HTTPS_PROXY: `http://me:${SECRET}@127.0.0.1:1` }],
  ] as const) {
    let told = "";
    const io = {
      stdin: process.stdin,
      cwd: await makeDirectory(),
      env: { XDG_STATE_HOME: makeStateHome(), XDG_CONFIG_HOME: await makeDirectory(), ...env },
      stdout: new Writable(),
      stderr: new Writable({ write: (chunk: Buffer, _, done) => ((told += chunk.toString()), done()) }),
      now: () => new Date(),
      onSignal: () => () => undefined,
    };
    io.stdout.write = () => {
      throw new TypeError(`no way to write with ${SECRET}`);
    };
    expect(await main([...argv, ...more], io)).toBe(1);
    expect(told).toContain("(hidden: it repeats a secret)\n    at ");
    expect(told).not.toContain(SECRET);
  }
});

scenario(
  "cells that equal the token are sent as they are, and shown as they are",
  { "a.csv": `cle,state\nA1,sandbox\n`, "bad.csv": "cle,date_billed\nA1,sandbox\n" },
  [
    ["push a.csv", 0],
    ["check a.csv --records -", 0, '{"cle":"A1","state":"sandbox"}\n'],
    ["push bad.csv --json", 3, /"event":"reject".*"value":"sandbox"/],
  ],
  [{ cle: "A1", state: "sandbox" }],
);
