import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/cli/secrets.ts";
import { answer, startService } from "../send/support/http-service.ts";
import { startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";
import { drawSecret, WRITINGS } from "./secret-writings.ts";

const TOKEN = "s3cr3t/tök en+4";
const MIB = 1_048_576;

/** Texts around a secret that have no character of it and begin no escape. */
const drawContext = fc.constantFrom("", "Ж", "Ж ", "(Ж: ");

describe("createRedactor", () => {
  it.each([
    ["plain", TOKEN],
    ["URL-encoded", encodeURIComponent(TOKEN)],
    ["form-encoded", encodeURIComponent(TOKEN).replaceAll("%20", "+")],
    ["base64", Buffer.from(TOKEN).toString("base64")],
    ["base64url", Buffer.from(TOKEN).toString("base64url")],
  ])("hides a long secret in %s form inside other text", (_, form) => {
    expect(createRedactor([TOKEN])(`before ${form}after`)).toBe("before ***after");
  });

  it("hides a short secret only where it stands alone", () => {
    const redact = createRedactor(["abc"]);
    expect(redact("key abc, not abcd or xabc")).toBe("key ***, not abcd or xabc");
    expect(redact("abc")).toBe("***");
    expect(redact('{"token":"abc"}')).toBe('{"token":"***"}');
    expect(redact("key%3Dabc%26other%3Dabcd")).toBe("key%3D***%26other%3Dabcd");
  });

  it.each([
    ["twice", "1234567890123", "1234567890123, 1234567890123", "***, ***"],
    ["twice in a row", "abcdefghi", "abcdefghiabcdefghi", "******"],
    ["overlapping with itself", "aabaabaab", "xaabaabaabaaby", "x***y"],
    ["with its spaces joined", "ab  cd   ef gh", "got ab cd ef gh.", "got ***."],
    ["with more spaces", "ab  cd   ef gh", "got ab   cd \n  ef\u00a0gh.", "got ***."],
    ["with spaces as it has them at least", "a        b", "a b, a         b", "a b, ***"],
    ["with a space of its own at the end", "abcdefgh+", "abcdefgh+ is bad", "*** is bad"],
    ["of nothing but spaces", "+++++++++", "a+b ++++++++++ c", "a+b***c"],
  ])("hides a secret %s", (_, secret, text, hidden) => {
    expect(createRedactor([secret])(text)).toBe(hidden);
  });

  it.each([
    ["a percent sign", "41a/bcdef", "LIKE '%41a%2Fbcdef%'", "LIKE '%***%'"],
    ["a percent sign, in JSON", "4fa/bcdef", "LIKE '%4fa\\/bcdef%'", "LIKE '%***%'"],
    ["a backslash", "n4/abcdef", "C:\\n4%2Fabcdef", "C:\\***"],
    ["the end of an escape", "F0/abcdef", "%2FF0%2fabcdef", "%2F***"],
  ])("is not misled by %s before a secret", (_, secret, text, hidden) => {
    expect(createRedactor([secret])(text)).toBe(hidden);
  });

  it("leaves nothing of a secret that contains another", () => {
    expect(createRedactor(["12345678", "1234567890"])("x1234567890x")).toBe("x***x");
    expect(createRedactor(["12345678", "5678abcdef"])("x12345678abcdefx")).toBe("x***x");
  });

  it("hides a secret in every writing, and leaves the rest as it is", () => {
    const drawWriting = fc.constantFrom(...Object.keys(WRITINGS));
    fc.assert(
      fc.property(drawSecret, drawWriting, drawWriting, drawContext, drawContext, (secret, ...drawn) => {
        const [inner, outer, before, after] = drawn;
        const written = WRITINGS[outer]!(WRITINGS[inner]!(secret));
        expect(createRedactor([secret, TOKEN])(`${before}${written}${after}Ж`)).toBe(`${before}***${after}Ж`);
      }),
      { numRuns: 3000 },
    );
  });

  it("hides a secret however often it is encoded", () => {
    const drawTimes = fc.integer({ min: 3, max: 12 });
    const drawWriting = fc.constantFrom("url", "html", "form");
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 12 }), drawWriting, drawTimes, (part, way, times) => {
        const secret = `k/ey${part.replaceAll(/[\\%&]/g, "")}=`;
        const encode = WRITINGS[way]!;
        const written = Array.from({ length: times }).reduce<string>((text) => encode(text), secret);
        expect(createRedactor([secret])(`Ж${written}Ж`)).toBe("Ж***Ж");
      }),
    );
  });

  it("hides a secret inside a longer base64 text, URL-encoded too", () => {
    const drawBytes = fc.uint8Array({ maxLength: 12 });
    const drawEncoding = fc.constantFrom("base64" as const, "base64url" as const);
    fc.assert(
      fc.property(drawSecret, drawBytes, drawBytes, drawEncoding, (secret, before, after, encoding) => {
        const text = Buffer.concat([before, Buffer.from(secret), after]).toString(encoding);
        // In base64 its first and last characters also depend on its neighbours.
        const from = Math.ceil((before.length * 4) / 3);
        const own = text.slice(from, Math.floor(((before.length + Buffer.byteLength(secret)) * 4) / 3));
        const hidden = createRedactor([secret])(`Ж${text}Ж`);
        expect(hidden).not.toContain(own);
        expect(hidden.startsWith(`Ж${text.slice(0, from)}`)).toBe(true);
        expect(createRedactor([secret])(encodeURIComponent(text))).not.toContain(encodeURIComponent(own));
      }),
    );
  });

  it("leaves text without a secret as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        fc.pre(!text.includes("0a1b2c3d4e"));
        expect(createRedactor(["0a1b2c3d4e"])(text)).toBe(text);
      }),
    );
  });

  it.each([
    ["spaces", ["abc   def   ghi"], "abc", " "],
    ["spaces and plus signs", ["abc   def   ghi"], "abc", " + "],
    ["spaces, for a secret that begins with some", ["   key=1"], "", " "],
    ["the beginning of the secret", ["abc   def   ghi"], "", "abc      def "],
    ["a secret of repetitions", [`${"ab ".repeat(3000)}c`], "", "ab "],
    ["percent signs encoded again and again", ["a%%%%%%%b"], "a", "%25"],
    ["escapes of all notations", ["a/b&c\\d e"], "", "%26\\u0026&amp;amp;\\\\"],
    [
      "a thousand secrets",
      Array.from({ length: 1000 }, (_, at) => `secret   number   ${at}`),
      "secret",
      "   number ",
    ],
  ])("reads a text of 1 MB that is nearly a secret: %s", (_, secrets, first, unit) => {
    const text = first + unit.repeat(MIB / unit.length);
    expect(createRedactor(secrets)(text)).toBe(text);
  });

  it("tells what an answer of 8 kB says, though it is nearly a header", { timeout: 20_000 }, async () => {
    const { url } = await startService((_, response) => answer(response, 400, `abc${" ".repeat(8000)}`));
    const file = await makeFile("a.csv", "cle,num_commande\nA1,1\n");
    const target = ["--url", url, "--table", "t", "-H", "X-Key: abc   def   ghi"];
    const { ended } = startProcess(["push", file, ...target], { REC_PUSH_TOKEN: "some-token" });
    expect((await ended).code).toBe(4);
  });
});
