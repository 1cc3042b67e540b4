import type { FuzzCase } from "./fuzz-case.ts";

/** What the worker is to do. */
export interface FuzzOrder {
  readonly seed: number;
  readonly milliseconds: number;
  /** Where files to begin with lie. */
  readonly directories: readonly string[];
}

/** What the worker says. */
export type FuzzReport =
  | { readonly kind: "begins"; readonly cases: number; readonly given: FuzzCase }
  | {
      readonly kind: "ends";
      readonly cases: number;
      readonly failure: { readonly given: FuzzCase; readonly path: string; readonly why: string } | undefined;
    };
