import type { RecPushError } from "../../model/failure.ts";
import type { Clock } from "../clock.ts";
import type { SendSettings } from "../settings.ts";
import type { Target } from "../target.ts";

/** The tokens of a session's requests. */
export interface Tokens {
  /** The token for a request that is about to leave, or the failure where none is to be had. */
  take(): Promise<string | RecPushError>;
  /** The service refused a token: the next one is another. */
  refuse(token: string): void;
  close(): Promise<void>;
}

/** What fetching tokens needs of a session. */
export interface TokenSetting {
  readonly target: Target;
  readonly settings: SendSettings;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The tokens that a target's client fetches; `undefined` where the token is known, and the target's headers hold it. */
export function createTokens(setting: TokenSetting): Tokens | undefined {
  const { client } = setting.target;
  if (client === undefined) return undefined;
  // Loaded only for those who fetch tokens.
  const loading = import("./fetched-tokens.ts").then(
    ({ FetchedTokens }) => new FetchedTokens(setting, client),
  );
  return {
    take: async () => (await loading).take(),
    refuse: (token) => void loading.then((tokens) => tokens.refuse(token)),
    close: async () => (await loading).close(),
  };
}
