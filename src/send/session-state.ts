import type { Clock } from "./clock.ts";
import type { HeldKeys } from "./held-keys.ts";
import type { LateKeys } from "./late-keys.ts";
import type { Tokens } from "./oauth/tokens.ts";
import type { Service } from "./service.ts";
import type { SendSettings } from "./settings.ts";
import type { Streaks } from "./streaks.ts";
import type { Target } from "./target.ts";
import type { Traffic } from "./traffic.ts";

/** Facts about the service that sending has shown. */
interface Learnt {
  /** True once something came to the service, or may have come there. */
  hasReached: boolean;
  /** The largest body that may be tried: halves of what was too large. */
  maxBytes: number;
  /** Until the service accepted a create, creates of an input with several batches go one by one. */
  hasAcceptedCreate: boolean;
  /** True until a create is accepted, and again from a create in doubt to the next accepted one. */
  areCreatesInTurn: boolean;
}

/** State that lasts for a session: all inputs that one command pushes to one target. */
export interface SessionState {
  readonly target: Target;
  readonly settings: SendSettings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly service: Service;
  /** `undefined` where the target's headers hold the token. */
  readonly tokens: Tokens | undefined;
  readonly traffic: Traffic;
  readonly learnt: Learnt;
  readonly streaks: Streaks;
  readonly heldKeys: HeldKeys;
  readonly lateKeys: LateKeys;
}
