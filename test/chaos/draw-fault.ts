import type { Draw } from "./random.ts";

/** The fate of one request. */
export interface Fault {
  /** True if its records are applied, "half" if only the first half of them is. */
  readonly applies: boolean | "half";
  readonly delayMs: number;
  readonly how: "answer" | "slow" | "cutBody" | "drop" | "silence";
  readonly status: number;
  /** Called once it is answered. */
  readonly afterwards?: () => unknown;
}

/** Mostly good answers; also error statuses, and connections lost before or after the records are applied. */
export function drawFault(draw: Draw): Fault {
  const delayMs = draw.between(0, 25);
  const lot = draw.between(1, 100);
  const good = { applies: true, delayMs, how: "answer", status: 200 } as const;
  if (lot <= 76) return good;
  if (lot <= 80) return { ...good, how: "slow" };
  if (lot <= 84) return { ...good, applies: false, status: 429 };
  const applies = draw.percent(50);
  if (lot <= 87) return { ...good, applies, status: 500 };
  if (lot <= 90) return { ...good, applies, status: 503 };
  if (lot <= 93) return { ...good, applies, how: "cutBody" };
  if (lot <= 99) return { ...good, applies, how: "drop" };
  return { ...good, applies, how: "silence" };
}
