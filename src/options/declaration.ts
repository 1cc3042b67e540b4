import type { FieldOptions } from "../fields/field-options.ts";
import type { SurveyReport } from "../model/counts.ts";
import { type OptionText, type OptionTexts, textsOf } from "../model/option-texts.ts";
import { badOptionValue } from "../model/text.ts";

/** The commands of rec-push. */
export type CommandName =
  | "push"
  | "check"
  | "plan"
  | "resume"
  | "runs"
  | "ledger"
  | "init"
  | "login"
  | "logout"
  | "sandbox"
  | "doctor"
  | "completion";

/**
 * Everything that is known about an option. A group of options shares what most of them have; nothing has a default here, so
 * that a new group does not compile until each question about it is answered.
 */
export interface Declaration<Value> {
  /** The heading in the help. */
  readonly group: string;
  readonly form: Form<Value>;
  /** One line, for the command line and for configs. */
  readonly help: string;
  /** The commands that take it; none: only configs and variables have it. A text replaces the help text for that command. */
  readonly commands: Readonly<Partial<Record<CommandName, true | string>>>;
  /** An environment variable with the same meaning; it overrides every config, and the command line overrides it. */
  readonly environment?: string;
  /** Its places in the config; empty if no file may set it. */
  readonly config: readonly ConfigKey[];
  /** How two sides that have it become one; without it the side with priority counts. */
  readonly merge?: Merge;
  readonly journal: Keeping;
  readonly records: RecordEffect<Value>;
  readonly mended: Mending;
  readonly init: Pinning;
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
    };

/** What the texts of an option that may be repeated hold, for configs and programs, which have lists and objects. */
export type Items =
  /** One text an item. */
  | { readonly kind: "texts" }
  /** Items between commas; `\\,` is a comma inside one. */
  | { readonly kind: "list" }
  /** A name, the sign, a value. `split`: the sign that counts where there are several. */
  | { readonly kind: "pairs"; readonly sign: string; readonly split: "first" | "last" };

/** A key of the config with the meaning of an option: in a table's section, among the rules of each of its fields, or in a profile. */
export interface ConfigKey {
  readonly place: "table" | "field" | "profile";
  /** Its name, if that is not the option's. */
  readonly key?: string;
  /** How its value is read, if not as the option's. */
  readonly form?: Form<unknown>;
}

/** A key by the option's name in the section of a table. */
export const IN_TABLE: readonly ConfigKey[] = [{ place: "table" }];
/** A key by the option's name in a profile. */
export const IN_PROFILE: readonly ConfigKey[] = [{ place: "profile" }];

/** What the journal of a run keeps of an option, so that `resume` does not ask for it again. A path is made absolute. */
type Keeping =
  | "nothing"
  | "text"
  | "path"
  /** Only the names before `sign`: the values are secret and have to be given again. `show` asks for such a value. */
  | { readonly sign: string; show(name: string): string };

/**
 * Whether an option decides what the records are, and how a run is protected from being continued with another value:
 * `settled`: the plan of the input describes the result, however it was given: dialect, columns, formats.
 */
type RecordEffect<Value> =
  | "none"
  | "settled"
  /** The plan of a run contains a description of the value, which a resume compares. */
  | { describe(value: Value | undefined): string };

/**
 * How an option appears in the printed command that pushes a mended rejects file. `leftOut`: it only applied to the first push,
 * or makes no sense for a rejects file; `secret`: the message asks for it instead; a function: what the first push settled, as
 * texts of the option.
 */
type Mending = "repeated" | "leftOut" | "secret" | ((push: SettledPush) => readonly string[]);

/** A push whose rejects are to be pushed again. */
export interface SettledPush {
  readonly survey: SurveyReport;
  /** The options of the command line alone. */
  readonly line: OptionTexts;
  /** The options of the command line, merged with environment and configs. */
  readonly merged: OptionTexts;
  readonly fields: FieldOptions;
}

/** How an option appears in the config that `init` writes: not, as it was given, or as the survey settled it. */
type Pinning =
  "none" | "given" | ((survey: SurveyReport, fields: FieldOptions, texts: OptionTexts) => unknown);

/** Declares an option. */
export function option<Value>(declaration: Declaration<Value>): Declaration<Value> {
  return declaration;
}

/** A decision for one command: a run does not keep it, and no config and no variable makes it. */
export const ONCE = {
  config: [],
  journal: "nothing",
  records: "none",
  mended: "leftOut",
  init: "none",
} as const;

/** What a run keeps, and no file of rows and no `init` needs. */
export const KEPT = { journal: "text", records: "none", mended: "repeated", init: "none" } as const;

/** A flag that is given or not. */
export function flag(short?: string): Form<boolean> {
  return { kind: "flag", short };
}

/** A flag that takes something away: `--no-header` of the option `header`. */
export const NEGATED: Form<boolean> = { kind: "negated" };

/** An option with one value. */
export function text<Value>(
  argument: string,
  parse: (text: string, option: string) => Value,
  { short, values }: { readonly short?: string; readonly values?: readonly string[] } = {},
): Form<Value> {
  return { kind: "text", argument, short, values, parse };
}

/** An option with one of several fixed values. */
export function choice<const Value extends string>(argument: string, values: readonly Value[]): Form<Value> {
  const parse = (given: string, option: string): Value => {
    const value = values.find((known) => known === given);
    if (value !== undefined) return value;
    throw badOptionValue(option, given, values.length === 1 ? values[0]! : `one of ${values.join(", ")}`);
  };
  return { kind: "text", argument, short: undefined, values, parse };
}

/** An option that may be repeated. */
export function texts<Value>(
  argument: string,
  items: Items,
  parse: (texts: readonly string[], option: string) => Value,
  short?: string,
): Form<Value> {
  return { kind: "texts", argument, short, items, parse };
}

/** One text per item. */
export const AS_TEXTS: Items = { kind: "texts" };
/** Items between commas. */
export const BETWEEN_COMMAS: Items = { kind: "list" };
/** `name=value`; a value may hold the sign, a name cannot. */
export const PAIRS: Items = { kind: "pairs", sign: "=", split: "first" };

/** The text itself, or the texts themselves. */
export function asGiven<Given>(given: Given): Given {
  return given;
}

/** Merges the values of one option; `more` has priority. */
export type Merge = (
  sides: { readonly less: OptionTexts; readonly more: OptionTexts },
  name: string,
) => OptionText | undefined;

/** Both sides: adding a `--drop` or `--null` must not make rec-push send more. */
export const ADD_UP: Merge = ({ less, more }, name) =>
  listed([...textsOf(less, name), ...textsOf(more, name)]);

/** One text for each name before the sign. */
export function byName(sign: string, fold = asGiven<string>): Merge {
  const nameOf = (text: string): string => fold(nameBefore(text, sign));
  return ({ less, more }, name) => {
    const texts = textsOf(more, name);
    const named = new Set(texts.map(nameOf));
    return listed([...textsOf(less, name).filter((text) => !named.has(nameOf(text))), ...texts]);
  };
}

/** The value of the side with priority, else that of the other side, unless the first side contradicts it. */
export function replaceUnless(contradicts: (more: OptionTexts) => boolean): Merge {
  return ({ less, more }, name) => more[name] ?? (contradicts(more) ? undefined : less[name]);
}

/** The texts of a repeatable option, if there are any. */
export function listed(texts: readonly string[]): readonly string[] | undefined {
  return texts.length === 0 ? undefined : texts;
}

/** The name before the sign of a `name=value` or `Name: value`. */
export function nameBefore(pair: string, sign: string): string {
  return pair.slice(0, pair.indexOf(sign)).trim();
}

/** Leaves out undefined members, as exact optional properties require. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
