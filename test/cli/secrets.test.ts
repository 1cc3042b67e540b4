import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMessageRedactor, createRedactor, HIDDEN, hideInFault } from "../../src/cli/line-secrets.ts";
import { describeEnd } from "../../src/send/stop-failure.ts";
import { readBody } from "../../src/send/success.ts";
import { answer, startService } from "../send/support/http-service.ts";
import { startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";
import { drawSecret, WRITINGS } from "./secret-writings.ts";
import { draws } from "../support/draws.ts";

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

  it("leaves text without a secret as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        fc.pre(!text.includes("0a1b2c3d4e"));
        expect(createRedactor(() => ["0a1b2c3d4e"])(text)).toBe(text);
      }),
    );
  });

  it.each([
    ["spaces", ["abc   def   ghi"], "abc", " "],
    ["spaces and plus signs", ["abc   def   ghi"], "abc", " + "],
    ["spaces, for a secret that begins with some", ["   key=1"], "", " "],
    ["five characters of the secret", ["abcdefghi"], "", "abcde     "],
    ["percent signs encoded again and again", ["abcdefghi"], "abcde", "%25"],
    ["escapes of all notations", ["a/b&c\\d e"], "", "%26\\u0026&amp;amp;\\\\"],
    ["a thousand secrets", Array.from({ length: 1000 }, (_, at) => `${at}-zyxwvut`), "", "zyxwv "],
  ])("reads a text of 1 MB that is nearly a secret: %s", (_, secrets, first, unit) => {
    const text = first + unit.repeat(MIB / unit.length);
    expect(createRedactor(() => secrets)(text)).toBe(text);
  });

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

  it("tells what an answer of 8 kB says, though it is nearly a header", { timeout: 20_000 }, async () => {
    const { url } = await startService((_, response) => answer(response, 400, `abc${" ".repeat(8000)}`));
    const file = await makeFile("a.csv", "cle,num_commande\nA1,1\n");
    const target = ["--url", url, "--table", "t", "-H", "X-Key: abc   def   ghi"];
    const { ended } = startProcess(["push", file, ...target], { REC_PUSH_TOKEN: "some-token" });
    expect((await ended).code).toBe(4);
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
