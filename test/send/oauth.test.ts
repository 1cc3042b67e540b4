import { describe, expect, it } from "vitest";
import type { SendSession } from "../../src/send/send-session.ts";
import type { Clock, SendSettings } from "../../src/send/settings.ts";
import { createFastClock } from "./support/fast-clock.ts";
import { answer, type HttpService, startService } from "./support/http-service.ts";
import { openSession, sendAll } from "./support/push.ts";
import { creates, updates } from "./support/records.ts";

/** An answer of the token endpoint. */
type TokenAnswer =
  | { readonly status?: number; readonly body: string | object; readonly headers?: Record<string, string> }
  | "hang"
  | "drop";

/** A service with OAuth whose token endpoint misbehaves as asked. */
interface TokenService {
  readonly http: HttpService;
  /** The tokens of the requests with records. */
  readonly used: string[];
  /** The requests for tokens. */
  readonly asked: string[];
}

/** The n-th token is `token-n`, unless the answer says otherwise. */
async function startTokenService(
  tokenAnswer: (number: number) => TokenAnswer,
  accepts: (token: string, number: number) => boolean | Promise<boolean> = () => true,
): Promise<TokenService> {
  const used: string[] = [];
  const asked: string[] = [];
  const http = await startService(async ({ path, body, headers, socket }, response) => {
    if (!path.endsWith("/access_token/")) {
      const token = (headers.authorization ?? "").replace("Bearer ", "");
      used.push(token);
      answer(response, (await accepts(token, used.length)) ? 200 : 401);
      return;
    }
    const found = tokenAnswer(asked.push(body));
    if (found === "hang") return;
    if (found === "drop") {
      socket.destroy();
      return;
    }
    const { status = 200, body: said, headers: more = { "content-type": "application/json" } } = found;
    response.writeHead(status, more).end(typeof said === "string" ? said : JSON.stringify(said));
  });
  return { http, used, asked };
}

function tokenAnswer(number: number, expiresIn: unknown = "60"): TokenAnswer {
  const access = { access_token: `token-${number}`, token_type: "Bearer", scope: "" };
  return { body: expiresIn === null ? access : { ...access, expires_in: expiresIn } };
}

const CLIENT_SECRET = "s&cret =+%é of the tests";

function openOAuthSession(
  { http }: TokenService,
  settings: Partial<SendSettings> = {},
  clock?: Clock,
): SendSession {
  return openSession(http.url, settings, clock, {
    table: "t",
    client: { id: "me+id", secret: CLIENT_SECRET },
  });
}

/** One record per batch, one batch after the other. */
const ONE_BY_ONE = { batchSize: 1, concurrency: 1 };

describe("a session with client credentials", () => {
  it("asks for one token as the service's documentation has it, and posts to its place for OAuth", async () => {
    const service = await startTokenService(tokenAnswer);
    await sendAll(openOAuthSession(service, ONE_BY_ONE), updates(5));
    const { http, asked, used } = service;
    expect(asked).toHaveLength(1);
    expect(Object.fromEntries(new URLSearchParams(asked[0]))).toEqual({
      grant_type: "client_credentials",
      client_id: "me+id",
      client_secret: CLIENT_SECRET,
    });
    expect(http.requests.map(({ path }) => path)).toEqual([
      "/api/oauth2/access_token/",
      ...Array<string>(5).fill("/api/oauth2/items/t/"),
    ]);
    expect(http.requests[1]?.headers).not.toHaveProperty("access_token");
    expect(new Set(used)).toEqual(new Set(["token-1"]));
  });

  it.each([["60"], [60]])(
    "renews a token of %j seconds when four fifths of its life are over",
    async (life) => {
      const clock = createFastClock();
      const service = await startTokenService((number) => tokenAnswer(number, life));
      const session = openOAuthSession(service, ONE_BY_ONE, clock);
      const never = new AbortController().signal;
      const sendAfter = async (ms: number): Promise<string | undefined> => {
        await clock.sleep(ms, never);
        await sendAll(session, updates(1));
        return service.used.at(-1);
      };
      expect([await sendAfter(0), await sendAfter(47_000), service.asked.length]).toEqual([
        "token-1",
        "token-1",
        1,
      ]);
      expect(await sendAfter(1500)).toBe("token-2");
      expect(service.asked).toHaveLength(2);
    },
  );

  it("takes a token without a life until it is refused", async () => {
    const clock = createFastClock();
    const service = await startTokenService(
      (number) => tokenAnswer(number, null),
      (token, number) => token === "token-2" || number === 1,
    );
    const session = openOAuthSession(service, ONE_BY_ONE, clock);
    await sendAll(session, updates(1));
    await clock.sleep(3_600_000_000, new AbortController().signal);
    const { failure } = await sendAll(session, creates(1));
    expect([failure, service.used]).toEqual([undefined, ["token-1", "token-1", "token-2"]]);
  });

  it("makes one renewal of many 401 at once, and sends each request once more", async () => {
    const service = await startTokenService(tokenAnswer, (token) => token !== "token-1");
    const session = openOAuthSession(service, { batchSize: 1, concurrency: 8 });
    const { settled, failure } = await sendAll(session, updates(40));
    expect([failure, settled.filter(({ outcome }) => outcome === "accepted").length]).toEqual([
      undefined,
      40,
    ]);
    expect(service.asked).toHaveLength(2);
    expect(service.used.filter((token) => token === "token-1")).toHaveLength(8);
  });

  it("makes none for a 401 that comes late, when the token was renewed already", async () => {
    let onRenewed: () => void = () => undefined;
    const renewed = new Promise<void>((resolve) => (onRenewed = resolve));
    const service = await startTokenService(tokenAnswer, async (token, number) => {
      if (token === "token-2") onRenewed();
      else if (number > 1) await renewed;
      return token !== "token-1";
    });
    const session = openOAuthSession(service, { batchSize: 1, concurrency: 4 });
    const { failure } = await sendAll(session, updates(12));
    expect([failure, service.asked.length]).toEqual([undefined, 2]);
  });

  it("stops with exit 5 where the new token is refused too", async () => {
    const service = await startTokenService(tokenAnswer, () => false);
    const { settled, failure } = await sendAll(openOAuthSession(service, ONE_BY_ONE), creates(3));
    expect(failure).toMatchObject({ kind: "credentials", code: "credentials-refused" });
    expect([settled, service.used]).toEqual([[], ["token-1", "token-2"]]);
  });
});

describe("a token endpoint in trouble", () => {
  const NOTHING = { settled: [], used: [] };
  const refused = (status: number, error: string): TokenAnswer => ({ status, body: { error } });
  it.each<[string, TokenAnswer, string, string]>([
    ["400 invalid_client", refused(400, "invalid_client"), "credentials", "client-refused"],
    ["401 invalid_client", refused(401, "invalid_client"), "credentials", "client-refused"],
    ["401 with a msg", { status: 401, body: { msg: "No." } }, "credentials", "client-refused"],
    ["403 as a page", { status: 403, body: "<h1>No</h1>" }, "credentials", "client-refused"],
    ["400 invalid_scope", refused(400, "invalid_scope"), "request", "no-token"],
    ["404", { status: 404, body: "" }, "request", "no-token"],
    ["a redirect", { status: 302, body: "" }, "request", "no-token"],
    ["HTML with 200", { body: "<html><p>Welcome</p></html>", headers: {} }, "request", "no-token"],
    ["an array", { body: [] }, "request", "no-token"],
    ["no token", { body: { token_type: "Bearer" } }, "request", "no-token"],
    ["a token of 0 s", tokenAnswer(1, "0"), "request", "no-token"],
    ["a token of -5 s", tokenAnswer(1, -5), "request", "no-token"],
    ["a token of soon", tokenAnswer(1, "soon"), "request", "no-token"],
    ["a token of two lines", { body: { access_token: "a\nb", token_type: "Bearer" } }, "request", "no-token"],
    ["a mac token", { body: { access_token: "abc", token_type: "mac" } }, "request", "no-token"],
    ["204", { status: 204, body: "" }, "request", "no-token"],
  ])("that answers %s stops the run, and nothing was sent", async (_, answer, kind, code) => {
    const service = await startTokenService(() => answer);
    const announced: unknown[] = [];
    const beforeCreate = async (batch: unknown): Promise<void> => void announced.push(batch);
    const session = openOAuthSession(service, { concurrency: 8, batchSize: 1 });
    const { settled, failure } = await sendAll(session, creates(9), { beforeCreate });
    expect(failure).toMatchObject({ kind, code });
    expect({ settled, used: service.used }).toEqual(NOTHING);
    // Not even an intent: a process killed here would leave no doubt.
    expect(announced).toEqual([]);
  });

  it.each<[string, TokenAnswer]>([
    ["without its type", { body: { access_token: "secret-1", expires_in: 60 } }],
    ["of another type", { body: { access_token: "secret-1", token_type: "mac" } }],
    ["of no life", tokenAnswer(1, -5)],
    ["that is not JSON", { body: "access_token=secret-1&token_type=bearer" }],
    ["with another status", { status: 404, body: { access_token: "secret-1" } }],
    ["and an error", { status: 400, body: { error: "invalid_scope", refresh_token: "secret-1" } }],
  ])("that answers with a token %s never has it shown", async (_, answer) => {
    const service = await startTokenService(() => answer);
    const { failure } = await sendAll(openOAuthSession(service), creates(1));
    const shown = `${failure?.message}\n${failure?.hint}`;
    expect(shown).not.toMatch(/secret-1|token-1/);
    expect(shown).toContain("the answer holds a token and is not shown");
  });

  const busy = (seconds: number): TokenAnswer => ({
    status: 429,
    body: "",
    headers: { "retry-after": `${seconds}` },
  });
  const CUT = { body: '{"access_token": "token-', headers: { "content-length": "90", connection: "close" } };
  it.each<[string, TokenAnswer, count: number, how?: Partial<SendSettings>]>([
    ["answers 500 twice is asked again", { status: 500, body: "oops" }, 2],
    ["breaks off its answer twice is asked again", CUT, 2],
    ["answers 429 with a wait twice is asked again", busy(2), 2],
    ["drops the connection twice is asked again", "drop", 2],
    ["fails every time ends the run", { status: 503, body: "<h1>Down</h1>" }, 9],
    ["hangs ends the run", "hang", 9, { timeoutMs: 300 }],
    ["asks to wait for longer than one waits ends the run", busy(7200), 9],
  ])("that %s", async (_, trouble, count, how) => {
    const service = await startTokenService((number) => (number <= count ? trouble : tokenAnswer(number)));
    const { failure, settled } = await sendAll(openOAuthSession(service, { retries: 2, ...how }), creates(1));
    const isOver = count === 9;
    expect(failure?.code).toBe(isOver ? "token-unreachable" : undefined);
    expect([settled.length, service.used.length]).toEqual(isOver ? [0, 0] : [1, 1]);
  });

  it("that hangs does not delay a run that is told to end", async () => {
    const service = await startTokenService(() => "hang");
    const drain = new AbortController();
    const ending = sendAll(openOAuthSession(service), creates(1), { drain: drain.signal });
    await expect.poll(() => service.asked.length).toBe(1);
    drain.abort();
    expect(await ending).toMatchObject({ failure: { code: "interrupted" }, settled: [] });
  });
});
