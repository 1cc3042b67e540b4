import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseProxy, isPassedBy, parseProxy } from "../../src/send/network/network.ts";

const originOf = (url: string, env: Record<string, string>) => chooseProxy(new URL(url), env)?.origin;

describe("chooseProxy", () => {
  const HTTPS = "https://records.example";
  it.each<[string, string, Record<string, string>, string | undefined]>([
    ["none", HTTPS, {}, undefined],
    ["small letters first", HTTPS, { HTTPS_PROXY: "http://b:1", https_proxy: "http://a:1" }, "http://a:1"],
    ["the one of https, not of http", HTTPS, { http_proxy: "http://a:1" }, undefined],
    ["the one of http", "http://x.example", { http_proxy: "http://a:1", https_proxy: "b" }, "http://a:1"],
    ["HTTP_PROXY in capitals too", "http://x.example", { HTTP_PROXY: "http://a:1" }, "http://a:1"],
    ["the one for all", HTTPS, { ALL_PROXY: "http://a:1", HTTPS_PROXY: "" }, "http://a:1"],
    ["the port of its scheme where it names none", HTTPS, { HTTPS_PROXY: "p.example" }, "http://p.example"],
    ["its own port", HTTPS, { HTTPS_PROXY: "proxy.example:3128/" }, "http://proxy.example:3128"],
    ["one of TLS", HTTPS, { HTTPS_PROXY: "https://proxy.example" }, "https://proxy.example"],
    ["an address of IPv6", HTTPS, { HTTPS_PROXY: "http://[::1]:3128" }, "http://[::1]:3128"],
    ["none by NO_PROXY", HTTPS, { HTTPS_PROXY: "http://a:1", NO_PROXY: "example" }, undefined],
    ["none by no_proxy for all", HTTPS, { https_proxy: "http://b:2", no_proxy: "*" }, undefined],
    ["none to this machine", "https://localhost:1", { HTTPS_PROXY: "http://a:1" }, undefined],
    ["none to ::1", "http://[::1]:1", { http_proxy: "http://a:1" }, undefined],
  ])("takes %s", (_, url, env, expected) => {
    expect(originOf(url, env)).toBe(expected);
  });

  it.each(["socks5://a:1", "ftp://a", "http://", "http://a:99999", "://", "http://a b"])(
    "refuses %s without showing more of it than it names",
    (address) => {
      const env = { HTTPS_PROXY: address.replace("//", "//me:canary@") };
      expect(() => originOf("https://records.example", env)).toThrow(/HTTPS_PROXY/);
      expect(() => originOf("https://records.example", env)).not.toThrow(/canary/);
    },
  );
});

describe("isPassedBy", () => {
  it.each<[string, string, boolean]>([
    ["example.com", "example.com", true],
    ["www.example.com", "example.com", true],
    ["www.example.com", ".example.com", true],
    ["example.com", ".example.com", true],
    ["nonexample.com", "example.com", false],
    ["example.com", "www.example.com", false],
    ["Example.com", "EXAMPLE.COM.", true],
    ["a.b", "x, a.b", true],
    ["a.b", "x a.b", true],
    ["a.b", "*", true],
    ["a.b", "*.b", false],
    ["a.b", "", false],
    ["a.b", " , ", false],
    ["10.1.2.3", "10.0.0.0/8", true],
    ["11.1.2.3", "10.0.0.0/8", false],
    ["10.1.2.3", "10.1.2.3", true],
    ["10.1.2.3", "2.3", false],
    ["10.1.2.3", "10.1.2.0/33", false],
    ["[fd00::1]", "fd00::/8", true],
    ["[fd00::1]", "[fd00::1]", true],
    ["[fe00::1]", "fd00::/8", false],
    ["10.example", "10.0.0.0/8", false],
  ])("for %s and %j: %s", (host, list, expected) => {
    expect(isPassedBy(host, list)).toBe(expected);
  });

  it("takes any list without a fault", () => {
    const lists = fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f:.,/ ]*$/));
    fc.assert(
      fc.property(lists, fc.constantFrom("a.example", "10.0.0.1", "[::1]"), (list, host) => {
        expect(isPassedBy(host, list)).toBeTypeOf("boolean");
      }),
    );
  });
});

describe("parseProxy", () => {
  it("keeps user and password where printing does not show them", () => {
    const proxy = parseProxy("http://me:p%40ss-word@proxy.example:3128", "HTTPS_PROXY");
    expect(proxy.authorization()).toBe(`Basic ${Buffer.from("me:p@ss-word").toString("base64")}`);
    expect(JSON.stringify(proxy)).not.toContain("ss-word");
    expect(proxy.secrets()).toContain("p@ss-word");
  });
});
