import { RecPushError } from "../../model/failure.ts";
import { type Connections, createConnections } from "../connection.ts";
import { backOffMs } from "../settings.ts";
import type { Client } from "./client.ts";
import { fetchToken, type TokenSetting } from "./fetch-token.ts";

/** A token is renewed after this share of its life. */
const RENEWED_AT = 0.8;
const CONNECT_TIMEOUT_MS = 10_000;

/** A token, and when it is renewed; `Infinity`: once the service refuses it. */
interface Token {
  readonly text: string;
  readonly renewAtMs: number;
}

/** The tokens that a target's client fetches when they are needed; only one token request at a time. */
export class Tokens {
  readonly #setting: TokenSetting;
  readonly #client: Client;
  readonly #connections: Connections;
  readonly #closing = new AbortController();
  #token: Token | undefined;
  #renewal: Promise<string | RecPushError> | undefined;

  constructor(setting: TokenSetting, client: Client) {
    this.#setting = setting;
    this.#client = client;
    const { origin, network } = setting.target;
    const { userAgent, timeoutMs = CONNECT_TIMEOUT_MS } = setting.settings;
    const connectTimeoutMs = Math.min(timeoutMs, CONNECT_TIMEOUT_MS);
    this.#connections = createConnections({ origin, network, connectTimeoutMs, userAgent });
  }

  /** The token for a request that is about to be sent, or the failure if none can be had. */
  async take(): Promise<string | RecPushError> {
    if (this.#token !== undefined && this.#setting.clock.now() < this.#token.renewAtMs)
      return this.#token.text;
    this.#renewal ??= this.#fetch().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** The service refused a token. Requests sent with the same one are refused together: the first refusal ends it. */
  refuse(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connections.close();
    await this.#renewal;
  }

  async #fetch(): Promise<string | RecPushError> {
    const { clock, settings, random, target } = this.#setting;
    const { signal } = this.#closing;
    let waitedMs = 0;
    for (let tries = 0; ; tries += 1) {
      const sinceMs = clock.now();
      const found = await fetchToken(this.#connections, this.#client, this.#setting, signal);
      if (found.kind === "token") {
        this.#client.note(found.token);
        this.#token = { text: found.token, renewAtMs: sinceMs + found.lifeMs * RENEWED_AT };
        return found.token;
      }
      if (found.kind === "stop") return found.failure;
      const forMs = found.afterMs ?? backOffMs(tries + 1, settings.backOff, random);
      waitedMs += forMs;
      if (tries >= settings.retries || waitedMs > settings.maxWaitMs || signal.aborted) {
        const message = `no token from ${target.origin}${this.#client.tokenPath}: ${found.why}`;
        return new RecPushError("unreachable", "token-unreachable", message, {
          hint: "check the service; the same command continues where this one stopped",
        });
      }
      await clock.sleep(forMs, signal);
    }
  }
}
