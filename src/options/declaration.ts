import type { FieldOptions } from "../fields/field-options.ts";
import type { ColumnReport, SurveyReport } from "../model/decimal-of.ts";
import { type OptionText, type OptionTexts, textsOf } from "../model/option-texts.ts";

/** The commands of rec-push. */
export type CommandName =
  "push" | "check" | "plan" | "resume" | "runs" | "ledger" | "init" | "sandbox" | "doctor" | "completion";

/**
 * Everything that is known about an option. Every member is required, so that a new option does not compile until each
 * question about it is answered.
 */
export interface Declaration<Value> {
  readonly form: Form<Value>;
  /** One line, for the command line and for configs. */
  readonly help: string;
  /**
   * The commands that take it; a text replaces the help text for that command. A refusal says of a command that does not take
   * it why, if somebody who knows the other commands expects it to.
   */
  readonly commands: Readonly<Partial<Record<CommandName, true | string | Refusal>>>;
  /** An environment variable with the same meaning; it overrides every config, and the command line overrides it. */
  readonly environment: string | undefined;
  /** Its places in the config; empty if no file may set it. */
  readonly config: readonly ConfigKey[];
  readonly journal: Keeping;
  readonly records: RecordEffect<Value>;
  readonly mended: Mending;
  readonly init: Pinning;
}

/** Why a command does not take an option, and what to do instead. */
export interface Refusal {
  readonly why: string;
  readonly instead: string;
}

/** How an option is written, and how its text becomes a value. `option` is the name used in errors. */
export type Form<Value> =
  | { readonly kind: "flag"; readonly short: string | undefined }
  /** `--no-header` sets the option `header` to false. */
  | { readonly kind: "negated" }
  | {
      readonly kind: "text";
      readonly argument: string;
      readonly short: string | undefined;
      /** Listed in the help; the parser refuses all others. */
      readonly values: readonly string[] | undefined;
      parse(text: string, option: string): Value;
    }
  /** An option that may be repeated. */
  | {
      readonly kind: "texts";
      readonly argument: string;
      readonly short: string | undefined;
      readonly items: Items;
      parse(texts: readonly string[], option: string): Value;
    }
  /** Only in configs and variables. */
  | {
      readonly kind: "unwritten";
      readonly values: readonly string[] | undefined;
      parse(text: string, option: string): Value;
    };

/** What the texts of an option that may be repeated hold, for programs that have them as lists and objects. */
export type Items =
  /** One text an item. */
  | { readonly kind: "texts" }
  /** Items between commas; `\\,` is a comma inside one. */
  | { readonly kind: "list" }
  /** A name, the sign, a value. `split`: the sign that counts where there are several. */
  | { readonly kind: "pairs"; readonly sign: string; readonly split: "first" | "last" };

/** What the journal of a run keeps of an option, so that `resume` does not ask for it again. */
export type Keeping =
  | { readonly kind: "text" }
  /** The path, made absolute. */
  | { readonly kind: "path" }
  /** Only the names before `sign`: the values are secret and have to be given again. `show` asks for such a value. */
  | { readonly kind: "names"; readonly sign: string; show(name: string): string }
  /** It applies to one command only. */
  | { readonly kind: "none" };

/**
 * Whether an option decides what the records are, and how a run is protected from being continued with another value.
 */
type RecordEffect<Value> =
  | { readonly kind: "none" }
  /** The plan of the input describes the result, however it was given: dialect, columns, formats. */
  | { readonly kind: "settled" }
  /** The plan of a run contains a description of the value, which a resume compares. */
  | { readonly kind: "compared"; describe(value: Value | undefined): string };

/** How an option appears in the printed command that pushes a mended rejects file. */
export type Mending =
  /** As it was given. */
  | { readonly kind: "repeated" }
  /** It only applied to the first push, or makes no sense for a rejects file. */
  | { readonly kind: "leftOut" }
  /** It may be secret, so the message asks for it instead. */
  | { readonly kind: "secret" }
  /** What the first push settled, as texts of the option. */
  | { readonly kind: "settled"; settle(push: SettledPush): readonly string[] };

/** A push whose rejects are to be pushed again. */
export interface SettledPush {
  readonly survey: SurveyReport;
  /** The options of the command line alone. */
  readonly line: OptionTexts;
  /** The same merged with environment and configs. */
  readonly merged: OptionTexts;
  readonly fields: FieldOptions;
}

/** How an option appears in the config that `init` writes. */
export type Pinning =
  | { readonly kind: "none" }
  /** As it was given. */
  | { readonly kind: "given" }
  /** The result of the survey. */
  | {
      readonly kind: "settled";
      settle(survey: SurveyReport, fields: FieldOptions, texts: OptionTexts): unknown;
    }
  /** A key among the rules of each field. */
  | { readonly kind: "rule"; rule(field: PinnedField): unknown };

/** A field for which `init` writes rules. */
export interface PinnedField {
  readonly field: string;
  /** The column that is sent as the field. */
  readonly column: ColumnReport | undefined;
  /** The one decimal mark that all amounts settled on. */
  readonly decimal: "," | "." | undefined;
  readonly fields: FieldOptions;
}

/** Declares an option. */
export function option<Value>(declaration: Declaration<Value>): Declaration<Value> {
  return declaration;
}

/** A key of the config with the meaning of an option. */
export interface ConfigKey {
  /** In a table's section, among the rules of each of its fields, or in a profile. */
  readonly place: "table" | "field" | "profile";
  /** `undefined`: the name of the option. */
  readonly key: string | undefined;
  readonly shape: KeyShape;
  readonly merge: Merge;
}

/** The values that a key takes; the option's help describes it. */
export type KeyShape =
  | { readonly kind: "text"; readonly orNumber: boolean; readonly check: CheckKey }
  | { readonly kind: "number" | "flag" | "list" }
  | {
      readonly kind: "map";
      /** Between name and value in the option's text. */
      readonly sign: string;
      readonly check: ((name: string, value: string) => void) | undefined;
    };

/** `as the option`: its parser is the check. */
type CheckKey = "as the option" | ((text: string, path: string) => unknown);

/** A text value. */
export function asText(check: CheckKey = "as the option"): KeyShape {
  return { kind: "text", orNumber: false, check };
}

/** A size, a time or a rate: a text, or a number without a unit. */
export const AS_QUANTITY: KeyShape = { kind: "text", orNumber: true, check: "as the option" };
/** A number without a unit. */
export const AS_NUMBER: KeyShape = { kind: "number" };

/** True or false. */
export const AS_FLAG: KeyShape = { kind: "flag" };
/** A list of texts. */
export const AS_LIST: KeyShape = { kind: "list" };

/** Values by names that the user chooses. */
export function asMap(sign: string, check?: (name: string, value: string) => void): KeyShape {
  return { kind: "map", sign, check };
}

/** A key of a table's section. */
export function inTable(shape: KeyShape, merge: Merge): ConfigKey {
  return { place: "table", key: undefined, shape, merge };
}

/** A key of a field's rules, which are merged rule by rule. */
export function inField(shape: KeyShape): ConfigKey {
  return { place: "field", key: undefined, shape, merge: REPLACE };
}

/** A key of a profile, which comes whole from one config; `merge` is for the command line above it. */
export function inProfile(shape: KeyShape, merge: Merge, key?: string): ConfigKey {
  return { place: "profile", key, shape, merge };
}

/** Both sides of a merge with all their options; `more` has priority. */
interface Sides {
  readonly less: OptionTexts;
  readonly more: OptionTexts;
}

/** Merges the values of one option. */
export type Merge = (sides: Sides, name: string) => OptionText | undefined;

/** The side with priority, if it has the option. */
export const REPLACE: Merge = ({ less, more }, name) => more[name] ?? less[name];

/** Both sides: adding a `--drop` or `--null` must not make rec-push send more. */
export const ADD_UP: Merge = ({ less, more }, name) =>
  listed([...textsOf(less, name), ...textsOf(more, name)]);

/** One text for each name; `nameOf` extracts the name from a text. */
export function byName(nameOf: (text: string) => string): Merge {
  return ({ less, more }, name) => {
    const texts = textsOf(more, name);
    const named = new Set(texts.map(nameOf));
    return listed([...textsOf(less, name).filter((text) => !named.has(nameOf(text))), ...texts]);
  };
}

/** As {@link REPLACE}, but the other side is dropped too if the side with priority contradicts it. */
export function replaceUnless(contradicts: (more: OptionTexts) => boolean): Merge {
  return ({ less, more }, name) => more[name] ?? (contradicts(more) ? undefined : less[name]);
}

/** The texts of a repeatable option, if there are any. */
export function listed(texts: readonly string[]): readonly string[] | undefined {
  return texts.length === 0 ? undefined : texts;
}

/** Leaves out undefined members, as exact optional properties require. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
