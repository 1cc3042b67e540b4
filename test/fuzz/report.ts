import type { FuzzCase } from "./fuzz-case.ts";

/** The worker's task. */
export interface FuzzOrder {
  readonly seed: number;
  readonly milliseconds: number;
  /** The directories with the files that are mutated. */
  readonly directories: readonly string[];
}

/** The worker's messages. */
export type FuzzReport =
  | { readonly kind: "begins"; readonly cases: number; readonly given: FuzzCase }
  | {
      readonly kind: "ends";
      readonly cases: number;
      readonly failure: { readonly given: FuzzCase; readonly path: string; readonly why: string } | undefined;
    };
