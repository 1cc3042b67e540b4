import type { ByteMemory } from "../model/byte-memory.ts";
import type { Clock } from "./clock.ts";
import type { HeldKeys } from "./held-keys.ts";
import type { LateKeys } from "./late-keys.ts";
import type { Tokens } from "./oauth/tokens.ts";
import type { Service } from "./service.ts";
import type { SendSettings } from "./settings.ts";
import type { Streaks } from "./streaks.ts";
import type { Target } from "./target.ts";
import type { Traffic } from "./traffic.ts";

/** Facts about the service that were learnt by sending. */
interface Learnt {
  /** True once something reached the service, or may have. */
  hasReached: boolean;
  /** The largest body that may be tried: halves of what was too large. */
  maxBytes: number;
  /**
   * As long as the service has not accepted a create, the creates of an input with several batches are sent one by
   * one.
   */
  hasAcceptedCreate: boolean;
  /**
   * True until a create is accepted, and after a create in doubt until the next one is accepted: create batches go
   * one at a time.
   */
  areCreatesInTurn: boolean;
}

/** State that lasts for a session: all inputs that one command pushes to one target. */
export interface SessionState {
  readonly target: Target;
  readonly settings: SendSettings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly service: Service;
  /** `undefined` if the target's headers hold the token. */
  readonly tokens: Tokens | undefined;
  readonly traffic: Traffic;
  readonly learnt: Learnt;
  readonly streaks: Streaks;
  readonly bodyMemory: ByteMemory;
  readonly heldKeys: HeldKeys;
  readonly lateKeys: LateKeys;
}
