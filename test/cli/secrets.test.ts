import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/cli/secrets.ts";

const TOKEN = "s3cr3t/tök en+4";

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
  });

  it("leaves nothing of a secret that contains another", () => {
    expect(createRedactor(["12345678", "1234567890"])("x1234567890x")).toBe("x***x");
  });

  it("leaves text without a secret as it is", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes("0a1b2c3d4e"));
        expect(createRedactor(["0a1b2c3d4e"])(text)).toBe(text);
      }),
    );
  });
});
