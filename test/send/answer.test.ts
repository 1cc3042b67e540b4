import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { connectFault, lostFault } from "../../src/send/exchange.ts";
import { backOffMs, parseRetryAfter } from "../../src/send/settings.ts";
import { describeEnd } from "../../src/send/stop-failure.ts";
import { readBody } from "../../src/send/success.ts";

it("a page becomes a line of text", () => {
  const page =
    "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title><style>b{}</style><script>if (a<b) c()</script></head>" +
    "<body><!-- x --><h1>Bad\n Gateway</h1></body></html>";
  expect(readBody(Buffer.from(page), true).text).toBe("502 Bad Gateway Bad Gateway");
});

describe("describeEnd", () => {
  const answer = {
    kind: "answer",
    status: 502,
    msg: undefined,
    text: "",
    retryAfter: undefined,
    location: undefined,
  } as const;
  it.each([
    [{ ...answer, msg: "no\u001b[31m\n" }, "no\\u001b[31m"],
    [answer, "Bad Gateway, without msg"],
    [{ ...answer, text: "nginx" }, "Bad Gateway, without msg: nginx"],
    [{ ...answer, status: 599 }, "an answer without msg"],
    [{ ...answer, msg: "x", text: '{"msg":"x","id":1}' }, "x"],
    [{ ...answer, status: 200, msg: "x", text: '{"msg":"x","id":1}' }, '{"msg":"x","id":1}'],
    [{ ...answer, msg: "key s3cret-token is bad" }, "key *** is bad"],
  ])("%#: says %j as %j", (end, words) => {
    expect(describeEnd(end, (text) => text.replaceAll("s3cret-token", "***"))).toBe(words);
  });

  it("hides a secret before it cuts a long text", () => {
    const text = `${"x".repeat(295)}s3cret-token`;
    expect(
      describeEnd({ ...answer, msg: text }, (whole) => whole.replaceAll("s3cret-token", "***")),
    ).not.toContain("s3c");
  });
});

describe("connectFault", () => {
  it.each([
    ["not-connected", ["ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT", "EPROTO"]],
    ["unknown-host", ["ENOTFOUND"]],
    ["no-tls", ["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG"]],
    ["certificate", ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "CERT_HAS_EXPIRED"]],
    ["certificate", ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"]],
    ["certificate", ["ERR_TLS_CERT_ALTNAME_INVALID"]],
  ])("is %s after %j", (stage, codes) => {
    for (const code of codes)
      expect(connectFault(Object.assign(new Error("x"), { code }))).toMatchObject({ code, stage });
  });

  it("looks into an error of several addresses", () => {
    const inner = Object.assign(new Error("connect ECONNREFUSED ::1:9"), { code: "ECONNREFUSED" });
    const error = Object.assign(new Error(""), { errors: [inner, inner] });
    expect(connectFault(error)).toMatchObject({
      code: "ECONNREFUSED",
      message: expect.stringContaining("refused") as string,
    });
  });

  it.each([
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "own-certificate"],
    ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", "own-certificate"],
    ["ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE", "own-certificate"],
    ["ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED", "own-certificate"],
    ["ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR", "lost"],
    ["ECONNRESET", "lost"],
  ])("knows by %s whether our certificate was the reason", (code, stage) => {
    const socketError = Object.assign(new Error("x"), { code });
    expect(lostFault(new Error("closed"), { isFresh: true, socketError }).stage).toBe(stage);
    expect(lostFault(new Error("closed"), { isFresh: false, socketError }).stage).toBe("lost");
  });

  it("is in words also without a code", () => {
    expect(lostFault(new Error("odd"), { isFresh: false, socketError: undefined })).toMatchObject({
      stage: "lost",
      code: "UNKNOWN",
      detail: "odd",
    });
  });
});

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37);

describe("backOffMs", () => {
  it.each([
    [1, 500],
    [2, 1000],
    [3, 2000],
    [6, 16_000],
    [7, 30_000],
    [5000, 30_000],
  ])("waits before try %i + 1 at most %i ms", (attempt, most) => {
    const bounds = { baseMs: 500, capMs: 30_000 };
    expect(backOffMs(attempt, bounds, () => 1)).toBe(most);
    expect(backOffMs(attempt, bounds, () => 0.5)).toBe(most / 2);
    expect(backOffMs(attempt, bounds, () => 0)).toBe(0);
  });
});

describe("parseRetryAfter", () => {
  it.each([
    ["0", 0],
    ["120", 120_000],
    [" 5 ", 5000],
    ["Sun, 06 Nov 1994 08:49:39 GMT", 2000],
    ["Sun, 06 Nov 1994 08:49:00 GMT", 0],
    ["Sunday, 06-Nov-94 08:50:37 GMT", undefined],
    ["Mon, 07 Nov 1994 08:49:37 GMT", 86_400_000],
    [undefined, undefined],
    ["", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["1e3", undefined],
    ["9".repeat(400), undefined],
    ["Sun, 06 Foo 1994 08:49:37 GMT", undefined],
    ["Sun, 06 Nov 1994 25:49:37 GMT", undefined],
    ["Sun, 06 Nov 1994 08:49:37 CET", undefined],
    ["1994-11-06T08:49:37Z", undefined],
  ])("reads %j as %j", (value, expected) => {
    expect(parseRetryAfter(value, NOW)).toBe(expected);
  });

  it("reads back every date that Date writes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
        expect(parseRetryAfter(new Date(NOW + seconds * 1000).toUTCString(), NOW)).toBe(seconds * 1000);
      }),
    );
  });
});
