import { type FailureCode, KINDS } from "./failure-codes.ts";
import type { ProblemGroup } from "./rows.ts";

/**
 * The reason why a run stopped or did not start. The set is closed: `exit-code.ts` gives each an exit code and does not
 * compile until a new one has one too.
 */
export type FailureKind =
  /** Wrong options, values, configuration, URL; token or table missing (exit 2). */
  | "usage"
  /** Invalid or unreadable input; nothing was sent (exit 3). */
  | "input"
  /** Rows were rejected or refused in a way that stopped the run (exit 4). */
  | "refused"
  /** The service does not accept the credentials (exit 5). */
  | "credentials"
  /** The service refuses the request itself: database version, table, redirect (exit 6). */
  | "request"
  /** The service cannot be reached or kept failing (exit 7). */
  | "unreachable"
  /** A fault of this machine: disk, permissions (exit 1). */
  | "machine"
  /** Another process is pushing to the same table (exit 9). */
  | "locked"
  /** SIGINT, SIGTERM or SIGHUP (exit 130, 143, 129). */
  | "interrupted";

/** The place of a fault in an input. Line and column count from 1. */
export interface InputPlace {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** A question with several answers; only the user knows the right one. */
export interface Choice {
  readonly question: string;
  /** An option for each answer, ready to paste. */
  readonly answers: readonly string[];
  /** In the same order: what each answer does, if the option does not say it. */
  readonly effects?: readonly string[] | undefined;
}

/** What a failure says beside its message. */
interface FailureDetails {
  readonly hint?: string | undefined;
  readonly place?: InputPlace | undefined;
  readonly cause?: unknown;
  readonly options?: readonly string[];
  readonly choices?: readonly Choice[] | undefined;
  readonly parts?: readonly RecPushError[];
  readonly problems?: readonly ProblemGroup[];
}

/**
 * The only error that is thrown on purpose: it stops the run. The message names the failure, its place and the remedy;
 * people see it without a stack.
 */
export class RecPushError extends Error {
  override readonly name: string = "RecPushError";
  readonly kind: FailureKind;
  /** Stable, for scripts and tests. */
  readonly code: FailureCode;
  /** An option with a value, or a command, that settles it, in one line. */
  readonly hint: string | undefined;
  readonly place: InputPlace | undefined;
  /** Options that settle as much as is certain, ready to paste; {@link hint} names them too. */
  readonly options: readonly string[];
  /** The questions that {@link options} leave open; `undefined` if something else is wrong that no option settles. */
  readonly choices: readonly Choice[] | undefined;
  /** The failures that were joined into this one. */
  readonly parts: readonly RecPushError[];
  /** Rows that are invalid whatever the answers are. */
  readonly problems: readonly ProblemGroup[];

  constructor(code: FailureCode, message: string, more: FailureDetails = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.kind = KINDS[code];
    this.code = code;
    this.hint = more.hint;
    this.place = more.place;
    this.options = more.options ?? [];
    this.choices = more.choices;
    this.parts = more.parts ?? [];
    this.problems = more.problems ?? [];
  }

  /** The same failure, found together with invalid rows. */
  withProblems(problems: readonly ProblemGroup[]): RecPushError {
    return this.#with({ problems });
  }

  /** The same failure, with one more way to settle it. */
  withHint(line: string): RecPushError {
    return this.#with({ hint: this.hint === undefined ? line : `${this.hint}\n${line}` });
  }

  /** The same failure with its texts changed. */
  reworded(change: (text: string) => string): RecPushError {
    return this.#with({
      message: change(this.message),
      hint: this.hint && change(this.hint),
      options: this.options.map(change),
      parts: this.parts.map((part) => part.reworded(change)),
    });
  }

  #with({
    message = this.message,
    ...changed
  }: FailureDetails & { readonly message?: string }): RecPushError {
    const { code, hint, place, cause, options, choices, parts, problems } = this;
    const details = { hint, place, cause, options, choices, parts, problems, ...changed };
    return new RecPushError(code, message, details);
  }
}

/** The error that ends a run on a signal. Its exit code is the signal's own. */
export function interruption(): RecPushError {
  return new RecPushError("interrupted", "interrupted by a signal");
}

/** Throws {@link interruption} once the signal is set. */
export function throwIfInterrupted(drain: AbortSignal): void {
  if (drain.aborted) throw interruption();
}

/** Gives the thread away for a moment, in which a signal is heard. To be awaited between the steps of long work. */
export function pause(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Like {@link pause}, and throws {@link interruption} once the signal is set. */
export async function hearSignals(drain: AbortSignal): Promise<void> {
  await pause();
  throwIfInterrupted(drain);
}
