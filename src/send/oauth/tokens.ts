import type { RecPushError } from "../../model/failure.ts";
import type { Clock } from "../clock.ts";
import type { SendSettings } from "../settings.ts";
import type { Target } from "../target.ts";

/** The tokens of a session's requests. */
export interface Tokens {
  /** The token for a request that is about to be sent, or the failure if none can be had. */
  take(): Promise<string | RecPushError>;
  /** The service refused a token: the next one is a different one. */
  refuse(token: string): void;
  close(): Promise<void>;
}

/** What fetching tokens needs from a session. */
export interface TokenSetting {
  readonly target: Target;
  readonly settings: SendSettings;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The tokens that a target's client fetches; `undefined` if the token is given, and is in the target's headers. */
export function createTokens(setting: TokenSetting): Tokens | undefined {
  const { client } = setting.target;
  if (client === undefined) return undefined;
  // Loaded only if tokens are fetched.
  const loading = import("./fetched-tokens.ts").then(
    ({ FetchedTokens }) => new FetchedTokens(setting, client),
  );
  return {
    take: async () => (await loading).take(),
    refuse: (token) => void loading.then((tokens) => tokens.refuse(token)),
    close: async () => (await loading).close(),
  };
}
