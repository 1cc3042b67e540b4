import type { SendSession } from "../../../src/send/send-session.ts";
import type { Clock, SendSettings } from "../../../src/send/settings.ts";
import { answer, type HttpService, startService } from "./http-service.ts";
import { openSession } from "./push.ts";

/** An answer of the token endpoint. */
export type TokenAnswer =
  | { readonly status?: number; readonly body: string | object; readonly headers?: Record<string, string> }
  | "hang"
  | "drop";

/** A service with OAuth whose token endpoint misbehaves as asked. */
export interface TokenService {
  readonly http: HttpService;
  /** The tokens of the requests with records. */
  readonly used: string[];
  /** The requests for tokens. */
  readonly asked: string[];
}

/** The n-th token is `token-n`, unless the answer says otherwise. */
export async function startTokenService(
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

export function tokenAnswer(number: number, expiresIn: unknown = "60"): TokenAnswer {
  const access = { access_token: `token-${number}`, token_type: "Bearer", scope: "" };
  return { body: expiresIn === null ? access : { ...access, expires_in: expiresIn } };
}

export const CLIENT_SECRET = "s&cret =+%é of the tests";

export function openOAuthSession(
  { http }: TokenService,
  settings: Partial<SendSettings> = {},
  clock?: Clock,
): SendSession {
  return openSession(http.url, settings, clock, {
    table: "t",
    client: { id: "me+id", secret: CLIENT_SECRET },
  });
}
