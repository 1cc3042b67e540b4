import type { OptionName } from "../options/table.ts";
import type { OwnOptions } from "./api.ts";

/**
 * The options of a push or a check. For the package the build writes them with their help and the type of each
 * (`options/program-values.ts`); here only names are checked, and values when they are given.
 */
export type PushOptions = OwnOptions & { readonly [Name in Exclude<OptionName, keyof OwnOptions>]?: unknown };
/** The options of a check. */
export type CheckOptions = PushOptions;
