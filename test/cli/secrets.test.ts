import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor, HIDDEN, hideInFault } from "../../src/cli/line-secrets.ts";
import { describeEnd } from "../../src/send/stop-failure.ts";
import { readBody } from "../../src/send/success.ts";
import { answer, type Behaviour, startService } from "../send/support/http-service.ts";
import { startRaw } from "../send/support/raw-service.ts";
import { draws, shareOf } from "../support/draws.ts";
import { type MainResult, makeStateHome, runMain } from "../support/run-main.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

/** Ways in which a service, a proxy or a log may write a text. */
const WRITINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  url: encodeURIComponent,
  form: (text) => new URLSearchParams({ a: text }).toString().slice(2),
  "url, every byte": (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  json: (text) => JSON.stringify(text).slice(1, -1),
  "json of PHP": (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll("/", "\\/")
      .replace(/[^\0-~]/g, (unit) => `\\u${hex(unit.charCodeAt(0))}`),
  "json, every unit": (text) =>
    text
      .split("")
      .map((unit) => `\\u${hex(unit.charCodeAt(0)).toUpperCase()}`)
      .join(""),
  html: (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
  "html, every character": (text) =>
    Array.from(text, (character) => `&#x0${hex(character.codePointAt(0) ?? 0)};`).join(""),
};

/** Secrets of at least eight characters, made of characters that have a meaning in URLs, JSON, HTML, base64 or patterns. */
const drawSecret = fc
  .array(
    fc.constantFrom(
      ..." +%\\&/\"'<>;#=-_.*([^$?{|é€😀ab425Aunx01".split(/(?:)/u),
      "   ",
      "%2",
      "%2F",
      "\\u0",
      "\\n",
      "amp;",
      "&lt;",
    ),
    { minLength: 8, maxLength: 20 },
  )
  .map((parts) => parts.join(""))
  .filter((secret) => /[^ +]/.test(secret));

function hex(code: number): string {
  return code.toString(16).padStart(4, "0");
}

const TOKEN = "s3cr3t/tök en+4";
const SECRET = "s3cr3tK3yAbCdEf";
const MIB = 1_048_576;

describe("createRedactor", () => {
  it("hides the whole text that repeats a secret in any writing, also one in another", () => {
    const drawWriting = fc.constantFrom(...Object.keys(WRITINGS));
    fc.assert(
      fc.property(drawSecret, drawWriting, drawWriting, (secret, inner, outer) => {
        const written = WRITINGS[outer]!(WRITINGS[inner]!(secret));
        expect(createRedactor(() => [secret, TOKEN])(`Ж (${written})Ж`)).toBe(HIDDEN);
      }),
      draws(600),
    );
  });

  it.each([
    ["six characters of it", "the key is en+4abc?", ["s3cr3t/tök en+4abc"]],
    ["other white space and capitals", "got AB cd \n  ef\u00a0gh.", ["ab  cd   ef gh"]],
    ["a percent sign before it", "LIKE '%41a%2Fbcdef%'", ["41a/bcdef"]],
    ["a backslash before it", "C:\\n4%2Fabcdef", ["n4/abcdef"]],
    ["another case", `the token ${SECRET.toUpperCase()} is bad`, [SECRET]],
    ["one of two secrets", "x12345678x", ["abcdefgh", "1234567890"]],
    ["a short one that stands alone", '{"token":"abc"}', ["abc"]],
    ["a short one that stands alone in a URL", "key%3Dabc%26other%3Dabcd", ["abc"]],
  ])("hides a text with %s", (_, text, secrets) => {
    expect(createRedactor(() => secrets)(text)).toBe(HIDDEN);
  });

  it.each([
    ["five characters of it", "en+4 is bad", ["s3cr3t/tök-en+4"]],
    ["a short one inside words", "not abcd or xabc", ["abc"]],
    ["nothing of it", "Update Items OK.", ["k7Q/z+1234", ""]],
  ])("leaves a text with %s as it is", (_, text, secrets) => {
    expect(createRedactor(() => secrets)(text)).toBe(text);
  });

  it("hides a secret inside a longer base64 text, URL-encoded too", () => {
    const drawBytes = fc.uint8Array({ maxLength: 12 });
    const drawEncoding = fc.constantFrom("base64" as const, "base64url" as const);
    fc.assert(
      fc.property(drawSecret, drawBytes, drawBytes, drawEncoding, (secret, before, after, encoding) => {
        const text = Buffer.concat([before, Buffer.from(secret), after]).toString(encoding);
        expect(createRedactor(() => [secret])(`Ж${text}Ж`)).toBe(HIDDEN);
        expect(createRedactor(() => [secret])(encodeURIComponent(text))).toBe(HIDDEN);
      }),
    );
  });

  it.each([
    ["spaces", ["abc   def   ghi"], "abc", " "],
    ["percent signs encoded again and again", ["abcdefghi"], "abcde", "%25"],
    ["escapes of all notations", ["a/b&c\\d e"], "", "%26\\u0026&amp;amp;\\\\"],
    ["a thousand secrets", Array.from({ length: 1000 }, (_, at) => `${at}-zyxwvut`), "", "zyxwv "],
  ])("reads a text of 1 MB that is nearly a secret: %s", (_, secrets, first, unit) => {
    const text = first + unit.repeat(MIB / unit.length);
    expect(createRedactor(() => secrets)(text)).toBe(text);
  });

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

it("the words of Node or undici about a lost connection are hidden where they repeat a secret", () => {
  const fault = {
    kind: "fault",
    stage: "lost",
    code: "X",
    message: "it broke",
    detail: `at ${SECRET}`,
  } as const;
  expect(
    describeEnd(
      fault,
      createRedactor(() => [SECRET]),
    ),
  ).toBe(`it broke: ${HIDDEN}`);
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

/** A secret for each way in; its characters are written differently in URLs, base64 and JSON. */
const CANARIES = {
  token: 'tok/3n+c4n4ry="7"',
  header: "he4der c4n4ry & <co>",
  credentials: "cr3dentials+c4n4ry/==",
  query: "qu3ry/c4n4ry é?&",
  profile: "pr0file-c4n4ry%2F",
  short: "k7Q/z",
};
const ROWS = "cle,num_commande\nA1,551035\nA2,551036\n,551037\n,551038\n,551039\n,551040\n";

/** Forms in which a service may return a secret. */
const formsOf = (secret: string): string[] => [
  ...Object.values(WRITINGS).map((write) => write(secret)),
  ...(["base64", "base64url"] as const).map((encoding) => Buffer.from(secret).toString(encoding)),
];

const long = Object.values(CANARIES).filter((secret) => secret.length >= 8);
const ECHOES = Object.values(CANARIES).flatMap(formsOf);
const ECHO = `no such key: ${ECHOES.join(" ")} ${Buffer.from(`Bearer ${CANARIES.token} x`).toString("base64")}`;

function expectNoCanary(text: string): void {
  for (const form of ECHOES) expect(text).not.toContain(form);
}

/** The names and contents of all files below a directory. */
async function contentsOf(directory: string): Promise<string> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return [...files, ...texts].join("\n");
}

/** Pushes with all canaries in place, checks everything that was written, and returns the result. */
async function pushWithCanaries(url: string, argv: readonly string[] = []): Promise<MainResult> {
  const home = makeStateHome();
  const cwd = await makeDirectory();
  const config = {
    profiles: { p: { url, tokenCommand: "printenv THE_TOKEN", headers: { "X-Profile": CANARIES.profile } } },
  };
  const file = await makeFile("rows.csv", ROWS);
  const world = { cwd, env: { XDG_STATE_HOME: home, THE_TOKEN: CANARIES.token } };
  const planted = [
    ["--config", await makeFile("c.json", JSON.stringify(config))],
    ["-H", `X-Key: ${CANARIES.header}`, "-H", `Proxy-Authorization: Basic ${CANARIES.credentials}`],
    ["-H", `X-Short: ${CANARIES.short}`, "--query", `key=${CANARIES.query}`],
  ].flat();
  const options = ["-t", "commandes", "--retries", "0", "--max-wait", "0s", "--batch-size", "2"];
  options.push("--results", join(home, "results.ndjson"), "--log-file", join(home, "log"));
  const report = join(home, argv.includes("--quiet") ? "report.json" : "report.html");
  options.push("--report", report);
  const result = await runMain([file, ...options, ...planted, ...argv], world);
  expectNoCanary(result.stdout + result.stderr);
  expectNoCanary(await contentsOf(home));
  for (const about of [["runs"], ["runs", "--json"]]) {
    const { stdout, stderr } = await runMain(about, world);
    expectNoCanary(stdout + stderr);
  }
  return result;
}

const echo =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    answer(response, status, ECHO, headers);

describe("secrets", () => {
  it.each(shareOf([200, 201, 400, 401, 404, 408, 409, 413, 418, 422, 429, 500, 503], 3))(
    "stay secret if the service returns them with %i",
    async (status) => {
      const { url } = await startService(echo(status, { "retry-after": "1" }));
      let told = "";
      for (const output of [["--json"], ["--verbose"], ["--quiet"]]) {
        const { stdout, stderr } = await pushWithCanaries(url, output);
        told += stdout + stderr;
      }
      expect(told).toContain("(hidden: it repeats a secret)");
    },
  );

  it("stay secret in a page, and in JSON without msg", async () => {
    for (const body of [`<html><body>${ECHO}</body></html>`, JSON.stringify({ error: ECHO })]) {
      const { url } = await startService((_, response) => response.writeHead(500).end(body));
      expect((await pushWithCanaries(url, ["--json"])).stdout).toContain("(hidden: it repeats a secret)");
    }
  });

  it.each(["--json", "--verbose"])(
    "stay secret where the service asks to wait, and where it refuses several creates at once (%s)",
    async (output) => {
      const { url } = await startService(({ number, records }, response) => {
        const isWait = number < 3;
        const isBad = records.length > 1 && !("cle" in records[0]!);
        if (isWait || isBad) answer(response, isWait ? 429 : 400, ECHO, { "retry-after": "0" });
        else answer(response);
      });
      const argv = [output, "--max-wait", "1m", "--concurrency", "1"];
      const { stdout, stderr } = await pushWithCanaries(url, argv);
      const told = stdout + stderr;
      expect(told).toMatch(/waiting.*429 \(hidden: it repeats a secret\)/);
      expect(told).toMatch(/refused a batch of 2 creates.*\(hidden: it repeats a secret\)/);
    },
  );

  it("stay secret in the target of a redirect", async () => {
    for (const secret of long) {
      const path = encodeURIComponent(secret);
      const location = `http://${path}:${path}@127.0.0.1/a/${path}/b?key=${path}#${path}`;
      const { url } = await startService((_, response) => answer(response, 302, "x", { location }));
      const { stderr } = await pushWithCanaries(url);
      expect(stderr).toContain("(hidden: it repeats a secret)");
    }
  });

  it("stay secret if no connection is made, or if it breaks", async () => {
    const url = await startRaw((socket) => socket.once("data", () => socket.end(ECHO)));
    for (const [address, codes] of [
      [url, [7, 8]],
      [url.replace("http:", "https:"), [2]],
      ["http://127.0.0.1:1", [7]],
    ] as const) {
      expect(codes).toContain((await pushWithCanaries(address, ["--verbose"])).code);
    }
  });
});
