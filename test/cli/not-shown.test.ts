import { chmod } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/cli/line-secrets.ts";
import { quoteCell } from "../../src/files/results.ts";
import { escapeHidden, isVisible } from "../../src/model/text.ts";
import { describeEnd } from "../../src/send/stop-failure.ts";
import { readBody } from "../../src/send/success.ts";
import { answer, startService } from "../send/support/http-service.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const CODES = "\u001B[31mX\u009B5m\u202E\u2028\u2066\u0007";
const SECRET = "s3cr3tK3yAbCdEf";
const ROWS = "cle,num_commande\nA1,1\n";

describe("hidden characters", () => {
  it.each([
    [["check", `no${CODES}.csv`]],
    [[`--un${CODES}`]],
    [["runs", CODES]],
    [["x.csv", "-t", "t", "--sandbox", "--results", `no${CODES}/x`]],
    [["x.csv", "-t", "t", "--url", "http://127.0.0.1:1", "--token-file", `a/${CODES}`]],
  ])("are escapes in the errors of %j, in words and with --json", async (argv) => {
    const file = await makeFile("x.csv", ROWS);
    const given = argv.map((word) => (word === "x.csv" ? file : word));
    for (const more of [[], ["--json"]]) {
      const { stdout, stderr } = await runMain([...given, ...more]);
      for (const line of `${stdout}${stderr}`.split("\n")) expect(line).toSatisfy(isVisible);
      expect(stderr + stdout).toMatch(/u202e/);
    }
  });

  it("are escapes in JSON that means the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const escaped = escapeHidden(JSON.stringify({ text }));
        expect(escaped).toSatisfy(isVisible);
        expect(JSON.parse(escaped)).toEqual({ text });
      }),
    );
  });

  it("are escapes in the command that init prints", async () => {
    const file = await makeFile("a.csv", ROWS);
    const { stdout } = await runMain(["init", file, "-t", `t${CODES}`, "--config", `${file}.json`]);
    expect(stdout).toContain("push with: ");
    for (const line of stdout.split("\n")) expect(line).toSatisfy(isVisible);
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

describe("secrets in a wrong place", () => {
  const env = { REC_PUSH_TOKEN: "token-1234567" };
  it.each([
    ["in the port", `https://host.example:${SECRET}/`],
    ["in a user part whose @ is escaped", `https://user:${SECRET}%40host.example`],
    ["in a user part with a slash", `https:///user:${SECRET}＠host example`],
    ["in place of the URL", SECRET],
  ])("are not shown: %s", async (_, url) => {
    const file = await makeFile("a.csv", ROWS);
    const { code, stdout, stderr } = await runMain([file, "-t", "t", "--url", url, "--json"], { env });
    expect(code).toBe(2);
    expect((stdout + stderr).toLowerCase()).not.toContain(SECRET.toLowerCase());
  });

  it.each(["records.example", "ftp://records.example", "records.example:8080"])(
    "leave a URL that lacks its scheme shown: %s",
    async (url) => {
      const file = await makeFile("a.csv", ROWS);
      const { stderr } = await runMain([file, "-t", "t", "--url", url], { env });
      expect(stderr).toContain(`"${url}"`);
    },
  );

  it.each([
    SECRET,
    SECRET.toUpperCase(),
    SECRET.toLowerCase(),
    encodeURIComponent(`${SECRET}/`).toUpperCase(),
  ])("are hidden in other case: %s", (written) =>
    expect(createRedactor(() => [SECRET])(`the token ${written} is bad`)).not.toContain(written.slice(0, 8)),
  );

  it.each([
    ["after 64 KiB", `${" ".repeat(65_536 - 10)}${SECRET}`.slice(0, 65_536), false],
    ["after 16 KiB", `${" ".repeat(16_384 - 10)}${SECRET} and more`, true],
    ["where the connection was lost", `the token is ${SECRET.slice(0, 9)}`, false],
  ])("leave no part in a body that is cut %s", (_, text, isWhole) => {
    const body = readBody(Buffer.from(text), isWhole);
    const end = { kind: "answer", status: 500, retryAfter: undefined, location: undefined, ...body } as const;
    expect(
      describeEnd(
        end,
        createRedactor(() => [SECRET]),
      ),
    ).not.toContain(SECRET.slice(0, 9));
  });
});

describe("headers of a file", () => {
  async function push(argv: readonly string[], environment: Record<string, string> = {}) {
    const http = await startService((_, response) => answer(response));
    const env = {
      XDG_STATE_HOME: makeStateHome(),
      REC_PUSH_URL: http.url,
      REC_PUSH_TOKEN: "token-1234567",
      ...environment,
    };
    const file = await makeFile("a.csv", ROWS);
    return { http, file, result: await runMain([file, "-t", "t", ...argv], { env }), env };
  }

  it("are sent like those of the line, which come before those of the environment's file", async () => {
    const named = await makeFile(
      "headers",
      `\uFEFF# for the gateway\r\nX-One: ${SECRET}\r\n\r\nX-Two: 2\r\n`,
    );
    const usual = await makeFile("usual", "X-Two: of the environment\nX-Three: 3\n");
    const { http, result } = await push(["-H", `@${named}`, "-H", "X-Four: 4"], {
      REC_PUSH_HEADERS_FILE: usual,
    });
    expect(result.code).toBe(0);
    expect(http.requests[0]?.headers).toMatchObject({
      "x-one": SECRET,
      "x-two": "2",
      "x-three": "3",
      "x-four": "4",
    });
  });

  it("are asked for again by resume, which takes them from the file of the environment", async () => {
    const headers = await makeFile("headers", `X-One: ${SECRET}\n`);
    const failing = await startService((_, response) => answer(response, 500));
    const { env, result } = await push(["-H", `@${headers}`, "--retries", "0"], {
      REC_PUSH_URL: failing.url,
    });
    expect(result.code).toBe(7);
    expect((await runMain(["resume", "--retries", "0"], { env })).stderr).toContain('-H "X-One: ..."');
    expect(
      (await runMain(["resume", "--retries", "0"], { env: { ...env, REC_PUSH_HEADERS_FILE: headers } })).code,
    ).toBe(7);
    expect(failing.requests.at(-1)?.headers["x-one"]).toBe(SECRET);
  });

  it("stop the push where the file cannot be trusted or read, without its content", async () => {
    const open = await makeFile("headers", `X-One: ${SECRET}\n`);
    await chmod(open, 0o666);
    const nameless = await makeFile("nameless", `${SECRET}\n`);
    for (const [file, words] of [
      [open, "everyone on this machine can write"],
      [`${open}-gone`, "cannot read the file of headers"],
      [nameless, "has no name before a colon"],
    ] as const) {
      const { result, http } = await push(["-H", `@${file}`]);
      expect(result.code).toBe(2);
      expect(result.stderr).toContain(words);
      expect(result.stderr).not.toContain(SECRET);
      expect(http.requests).toHaveLength(0);
    }
  });
});
