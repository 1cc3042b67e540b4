import type { OptionTexts } from "../model/option-texts.ts";
import type { ComparedAs } from "../ledger/comparison-form.ts";
import type { PlanTexts } from "./record-plan.ts";

/** What identifies a run: content, target, and the user's own key. */
export interface RunIdentity {
  /** Hex SHA-256 of the decoded content. */
  readonly content: string;
  /** The address of the operation, with the table and without the query. */
  readonly url: string;
  readonly dbVersion: string | null;
  /** `--run-key`. */
  readonly runKey: string | null;
  /** Hash of the --query parameters, which may name a tenant; absent if there are none. */
  readonly queries?: string;
}

/** The format of journals; one of a later version is refused. */
export const JOURNAL_VERSION = 1;

/** The unchanging facts of a run: the first entry of its journal. Holds no token and no value of -H or --query. */
export interface RunFacts {
  /** The format of the journal when the run was begun. */
  readonly version: typeof JOURNAL_VERSION;
  /** The version of rec-push. */
  readonly program: string;
  readonly run: string;
  /** The first run of the command that began it, of whose files it is one. */
  readonly command: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /**
   * The runs that were open on the table when this one began, or whose rejects were not pushed yet: this orders runs,
   * whatever the clock says.
   */
  readonly olderRuns: readonly string[];
  readonly table: string;
  readonly identity: RunIdentity;
  /** As named on the command line; `-` is standard input, kept in the run directory. */
  readonly file: string;
  /** Absolute; `undefined` for standard input. */
  readonly path?: string;
  /** The options that a resume needs to read and send as before, merged from configs and command line. */
  readonly options: OptionTexts;
  /** The declarations of fields in the config, by field name. */
  readonly declared: Readonly<Record<string, unknown>>;
  /** Names of the -H headers and --query parameters, whose values are not kept. */
  readonly headerNames: readonly string[];
  readonly queryNames: readonly string[];
  readonly plan: PlanTexts;
  /** How its creates are compared with those of other runs. */
  readonly compared: ComparedAs;
  /** True if it creates records although they were created before (`--again`). */
  readonly again?: true;
  /** The shard of a plan whose run it is: only a command on the plan continues it. */
  readonly shard?: {
    readonly plan: string;
    readonly directory: string;
    readonly shard: number;
    readonly of: number;
  };
  /** True if its file holds rows of another one, such as mended rejects, which may be pushed again in whole. */
  readonly isRowsFile?: true;
  /** An earlier run of this content, which created its creates or may have; this run sends the updates only. */
  readonly createdBy?: string;
  /** The counts of the survey. */
  readonly totals: RunTotals;
}

/**
 * The rows of an input as the survey judged them; the other counts add up to `read`. Creates that are left out count
 * as skipped.
 */
export interface RunTotals {
  readonly read: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly updates: number;
  readonly creates: number;
}

/** True if a run has creates to send: if its journal is lost, the service may hold any of them. */
export function mayCreate({ createdBy, totals }: RunFacts): boolean {
  return createdBy === undefined && totals.creates > 0;
}
