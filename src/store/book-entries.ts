import type { ComparedAs } from "../ledger/comparison-form.ts";
import type { MendCommand, RunSummary } from "../model/exit-code.ts";
import type { RowsKind } from "../model/marker-columns.ts";
import type { LineName } from "./log.ts";
import type { InDoubtAnswer } from "./journal.ts";
import type { RunFacts, RunIdentity } from "./run-facts.ts";
import type { TableId } from "./state-directory.ts";

/** Where a set of creates in a ledger comes from. */
export interface Origin extends ComparedAs {
  /**
   * created: a run made them, or may have; added: the user says that the service holds them; changed: records that differ
   * from the one created with their identity, as reported to the user.
   */
  readonly kind: "created" | "added" | "changed";
  /** The run that wrote it. */
  readonly run: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** The input, as it was named at the time. */
  readonly file: string;
  readonly dbVersion: string | null;
  /** The --run-key of its push: creates are compared within one. */
  readonly runKey: string | null;
  /** The content of that input, as in the identity of a run. */
  readonly content?: string;
  /**
   * True if its rows may come again in another file: some were rejected, refused, not sent, or are in doubt, or they
   * are themselves the mended rows of another file.
   */
  readonly leavesRows: boolean;
  /** For a run that left some in doubt: the name of that doubt. */
  readonly doubt?: string;
  /** The number of updates in its file, if there were any: it had a column of keys. */
  readonly updates?: number;
}

/** A file of fingerprints in the table's `prints`. */
export interface Prints extends Origin {
  /** That of the file, which is never written twice under one name. */
  readonly name: string;
  /** The checksum of the file, in hex. */
  readonly sum: string;
  /** The number of prints of creates that were made; those of creates in doubt follow them, then those of others. */
  readonly certain: number;
  readonly doubtful: number;
}

/** A plan that holds a table until its shards are settled. */
export interface PlanHold {
  readonly plan: string;
  readonly url: string;
  readonly queries?: string;
  readonly table: string;
  /** Absolute. */
  readonly directory: string;
  /** The facts about its inputs, for when the plan's directory is lost. */
  readonly inputs: readonly object[];
}

/** A push of one content, as the book keeps it. */
export interface BookRun
  extends
    Pick<RunIdentity, "content" | "dbVersion" | "runKey">,
    Partial<Pick<RunFacts, "olderRuns" | "createdBy" | "rowsOf" | "takes" | "identifiedBy">> {
  readonly run: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** As it was named at the time. */
  readonly file: string;
  /** True if its creates count as created, without asking the ledger; until it is closed, true if it has any to send. */
  readonly hasCreates: boolean;
  /** The directory of the plan whose shards pushed it. */
  readonly plan?: string;
  /** Its facts; absent once it is closed. */
  readonly facts?: RunFacts | undefined;
  /** Its end, with the time when that was noted; absent while it is open. */
  readonly closed?: Omit<Closing, "prints" | "figures"> & { readonly at: string };
  /** Creates of it were taken out of the ledger. */
  readonly isForgotten?: true;
  /** Its rows to be mended were given up. */
  readonly isMended?: true;
}

/** A file for a person, noted before it gets to its path. */
export interface WrittenFile {
  /** The run whose rows it holds. */
  readonly runs: readonly string[];
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Absolute. */
  readonly path: string;
  /** Hex. */
  readonly sha256: string;
  /** The hash of its rows without the run that left them; see `CompleteFile`. */
  readonly rowsSum?: string;
  /** Absent for a file of rows in doubt that somebody changed and that has decided. */
  readonly kind?: RowsKind;
  readonly rows?: number;
  /** For rejects: how many of them are overtaken by later rows of the command. */
  readonly later?: number;
  /** For rejects: the command that pushes them, from any directory. */
  readonly mend?: MendCommand | undefined;
  /** For rows in doubt: the doubt that it was written for. */
  readonly doubt?: string;
}

/** The end of a run. */
export interface Closing {
  /** Absent if its journal was lost and a person said which records it created. */
  readonly exitCode?: number;
  /** False if it made no creates, or if it did not make all of them, so that the ledger is asked which. */
  readonly hasCreates: boolean;
  /** The user gave it up, or said which records it created after its journal was lost. */
  readonly isAbandoned?: boolean;
  /** Its rows that were rejected or refused. */
  readonly toMend?: number;
  /** Its creates that were accepted or are in doubt. */
  readonly prints?: Prints;
  /** The number of lines of its journal, which stays for the keys in it; absent if it noted no keys. */
  readonly keys?: number;
  /** The figures of its file, with which later files are compared; absent if the service took nothing of it. */
  readonly figures?: object | undefined;
  /** Absent of a plan, of a run whose journal was lost, and once it is pruned. */
  readonly kept?: KeptEnd;
}

/** What is kept of a closed run for the commands that name it. */
export interface KeptEnd {
  readonly shown: ShownRun;
  /** Requests that settled records. */
  readonly batches: number;
  /** The doubts that the user has decided on, by name. */
  readonly decided: Readonly<Record<string, InDoubtAnswer>>;
}

/** The facts about a run that are shown, besides those of its beginning. */
export type ShownRun = Omit<
  RunSummary,
  "run" | "file" | "startedAt" | "running" | "doubtFile" | "rowsToMend" | "inputNow"
>;

/** The entries of a book. */
export type BookEntry =
  /** The first entry: the table of the book, and the last line of the book that it was rewritten from. */
  | ({ readonly entry: "table"; readonly follows?: LineName } & TableId)
  /** The name of the run's journal is on disk; from here on it must be there. Of a closed run, in a book that was rewritten, all of it. */
  | ({ readonly entry: "begin" } & BookRun)
  | ({ readonly entry: "close"; readonly run: string; readonly at: string } & Closing)
  /**
   * Files of prints, by name: creates that a person added or took out, records that differ from those, or the creates of a
   * run that still count; null takes a file out.
   */
  | {
      readonly entry: "prints";
      readonly files: Readonly<Record<string, Prints | null>>;
      /** Runs of which a person said that creates are no longer there: the ledger decides about their content. */
      readonly removedFrom?: readonly string[];
    }
  /** The user's word on the creates in doubt of a closed run: they are in the service, or they are not. */
  | { readonly entry: "decide"; readonly run: string; readonly answer: "applied" | "absent" }
  | { readonly entry: "wrote"; readonly files: readonly WrittenFile[] }
  | { readonly entry: "mended"; readonly run: string }
  /** The figures of a file that a plan pushed, or of one that was pushed before the book was rewritten. */
  | { readonly entry: "figures"; readonly profile: object }
  | { readonly entry: "held"; readonly hold: PlanHold }
  | { readonly entry: "released"; readonly plan: string };
