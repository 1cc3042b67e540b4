import type { Received } from "./record-service.ts";

/** An event of `--json`, without its times. */
export type Event = Readonly<Record<string, unknown>>;

/** A command of a case, and all that could be seen of it. */
export interface Step {
  readonly command: string;
  /** The exit code, or the signal that ended it. */
  readonly exit: string;
  readonly events: readonly Event[];
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly received: readonly Received[];
  /** The lines of each file beside the inputs. */
  readonly files: ReadonlyMap<string, readonly string[]>;
}

/** The codes of the errors of steps. */
export function codesOf(...steps: readonly (Step | undefined)[]): string {
  const events = steps.flatMap((step) => step?.events ?? []);
  const codes = events.filter(({ event }) => event === "error").map(({ code }) => String(code));
  return [...new Set(codes)].join(",");
}

const LEFT_OUT = new Set(["time", "ms", "schema", "startedAt", "endedAt"]);
const TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\b)/g;
const NEAR_MS = 12 * 3_600_000;
/** Names that a build makes up: of runs and plans, and of doubts. */
const NAMES = [
  ["RUN", /\b\d{8}-\d{6}-[0-9a-f]{4,}\b/g],
  ["DOUBT", /(?<=\bdoubt )[0-9a-f]{6,}\b|(?<=--in-doubt )[^\s=]+(?==)/g],
] as const;

/** Replaces what differs from one command to the next although nothing differs: names of runs, times, places and ports. */
export class Normaliser {
  readonly #places: readonly (readonly [string, string])[];
  readonly #names = new Map<string, string>();

  /** The places are replaced in this order. */
  constructor(places: readonly (readonly [string, string])[]) {
    this.#places = places;
  }

  text(text: string): string {
    let plain = text;
    for (const [place, name] of this.#places) plain = plain.replaceAll(place, name);
    for (const [kind, pattern] of NAMES) plain = plain.replace(pattern, (name) => this.#rename(kind, name));
    return plain
      .replace(TIME, (time) => (Math.abs(Date.parse(time) - Date.now()) < NEAR_MS ? "TIME" : time))
      .replace(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, "N s");
  }

  event(event: Event): Event {
    return this.#value(event) as Event;
  }

  lines(text: string): string[] {
    const lines = this.text(text).split(/\r?\n/);
    return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  }

  #value(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (typeof value !== "object" || value === null) return value;
    const kept = Object.entries(value).filter(([name]) => !LEFT_OUT.has(name));
    return Object.fromEntries(kept.map(([name, item]) => [name, this.#value(item)]));
  }

  #rename(kind: string, name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const count = [...this.#names.values()].filter((given) => given.startsWith(kind)).length;
    const given = `${kind}-${count + 1}`;
    this.#names.set(name, given);
    return given;
  }
}
