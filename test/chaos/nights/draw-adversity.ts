import type { Draw } from "../random.ts";
import { drawPlace } from "./life.ts";
import type { NightKill } from "./night-command.ts";
import type { FaultPlan } from "./night-service.ts";

/** What goes wrong during a push. */
export interface Adversity {
  readonly kill?: NightKill;
  readonly faults?: FaultPlan;
  readonly options: readonly string[];
}

/** Draws what goes wrong during a push; mostly nothing does. */
export function drawAdversity(draw: Draw): Adversity {
  if (draw.percent(50)) return { options: [] };
  const options = draw.percent(60) ? ["--batch-size", String(draw.oneOf([1, 3, 7, 20]))] : [];
  const atRequest = draw.oneOf([1, 1, 2, 3, 5]);
  switch (draw.between(1, 6)) {
    case 1:
    case 2:
      return { options, kill: { kind: "write", at: drawPlace(draw), isAfter: draw.percent(50) } };
    case 3:
      return { options, kill: { kind: "time", afterMs: draw.between(150, 1_200) } };
    case 4: {
      const stage = draw.oneOf(["before", "applied", "answered"] as const);
      const afterMs = draw.oneOf([0, 2, 10, 30, 60]);
      return { options, kill: { kind: "request", plan: { atRequest, stage, afterMs } } };
    }
    default: {
      const fault = draw.oneOf([
        "lost answer",
        "lost answer",
        "not applied",
        "500",
        "500 applied",
        "503",
        "half applied",
        "half applied",
        "late answer",
      ] as const);
      return { options, faults: { fault, atRequest, isRepeated: draw.percent(20) } };
    }
  }
}
