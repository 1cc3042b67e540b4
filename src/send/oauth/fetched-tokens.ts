import type { RecPushError } from "../../model/failure.ts";
import { type Connections, createConnections } from "../connection.ts";
import { backOffMs } from "../settings.ts";
import type { Client } from "./client.ts";
import { fetchToken } from "./fetch-token.ts";
import { noTokenInTime, type TokenSetting } from "./tokens.ts";

/** A token is renewed after this share of its life, while requests still use the old one. */
const RENEWED_AT = 0.8;
const CONNECT_TIMEOUT_MS = 10_000;

/** A token, and how long it is valid. */
interface Token {
  readonly text: string;
  /** `Infinity`: valid until the service refuses it. */
  readonly lifeMs: number;
  /** When it was asked for, by both clocks. */
  readonly sinceMs: number;
  readonly sinceWallMs: number;
  /** Its age in milliseconds at which it is renewed. */
  renewAtMs: number;
}

/**
 * Fetches tokens when they are needed, and a new one before the old one expires; only one token request at a time.
 */
export class FetchedTokens {
  readonly #setting: TokenSetting;
  readonly #client: Client;
  readonly #connections: Connections;
  readonly #closing = new AbortController();
  #token: Token | undefined;
  #renewal: Promise<Token | RecPushError> | undefined;

  constructor(setting: TokenSetting, client: Client) {
    this.#setting = setting;
    this.#client = client;
    const { target, settings } = setting;
    const connectTimeoutMs = Math.min(settings.timeoutMs ?? CONNECT_TIMEOUT_MS, CONNECT_TIMEOUT_MS);
    const { origin, network } = target;
    const { userAgent } = settings;
    this.#connections = createConnections({ origin, network, connectTimeoutMs, userAgent });
  }

  async take(): Promise<string | RecPushError> {
    const token = this.#token;
    if (token === undefined || this.#ageMs(token) >= token.lifeMs) {
      const renewed = await this.#renew();
      return "text" in renewed ? renewed.text : renewed;
    }
    // Nobody waits for it, and as long as the old token is valid its failure does not matter.
    if (this.#ageMs(token) >= token.renewAtMs) void this.#renew().catch(() => undefined);
    return token.text;
  }

  /** Requests sent with the same token are refused together: the first refusal ends that token. */
  refuse(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connections.close();
    await this.#renewal;
  }

  #renew(): Promise<Token | RecPushError> {
    this.#renewal ??= this.#fetch().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #fetch(): Promise<Token | RecPushError> {
    const { clock, settings, random, target } = this.#setting;
    const { signal } = this.#closing;
    let waitedMs = 0;
    for (let tries = 0; ; tries += 1) {
      const sinceMs = clock.now();
      const sinceWallMs = clock.wallNow();
      const found = await fetchToken(this.#connections, this.#client, this.#setting, signal);
      if (found.kind === "token")
        return this.#keep({ text: found.token, lifeMs: found.lifeMs, sinceMs, sinceWallMs });
      const old = this.#token;
      // The next try comes after half of its remaining life.
      if (old !== undefined) old.renewAtMs = (this.#ageMs(old) + old.lifeMs) / 2;
      if (found.kind === "stop") return found.failure;
      const forMs = found.afterMs ?? backOffMs(tries + 1, settings.backOff, random);
      waitedMs += forMs;
      if (tries >= settings.retries || waitedMs > settings.maxWaitMs || signal.aborted)
        return noTokenInTime(target, this.#client, found.why);
      await clock.sleep(forMs, signal);
    }
  }

  #keep(found: Omit<Token, "renewAtMs">): Token {
    this.#client.note(found.text);
    this.#token = { ...found, renewAtMs: found.lifeMs * RENEWED_AT };
    return this.#token;
  }

  /** Time asleep counts, and so does a change of the clock. */
  #ageMs({ sinceMs, sinceWallMs }: Token): number {
    const { clock } = this.#setting;
    return Math.max(clock.now() - sinceMs, Math.abs(clock.wallNow() - sinceWallMs));
  }
}
