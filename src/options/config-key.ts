import type { OptionText, OptionTexts } from "../model/option-texts.ts";
import { textsOf } from "../model/option-texts.ts";
import { given } from "./given.ts";

/** A key of the config with the meaning of an option. */
export interface ConfigKey {
  /** In a table's section, among the rules of each of its fields, or in a profile. */
  readonly place: "table" | "field" | "profile";
  /** `undefined`: the name of the option. */
  readonly key: string | undefined;
  readonly shape: KeyShape;
  readonly merge: Merge;
}

/** The values that a key takes. Without `about` the option's help describes it. */
export type KeyShape =
  | { readonly kind: "text"; readonly about?: string; readonly orNumber: boolean; readonly check: CheckKey }
  | { readonly kind: "number" | "flag" | "list"; readonly about?: string }
  | {
      readonly kind: "map";
      readonly about: string;
      readonly of: string;
      /** Between name and value in the option's text. */
      readonly sign: string;
      readonly check: ((name: string, value: string) => void) | undefined;
    };

/** `as the option`: its parser is the check. */
type CheckKey = "as the option" | ((text: string, path: string) => unknown);

/** A text value. */
export function asText(about?: string, check: CheckKey = "as the option"): KeyShape {
  return { kind: "text", ...given({ about }), orNumber: false, check };
}

/** A size, a time or a rate: a text, or a number without a unit. */
export const AS_QUANTITY: KeyShape = { kind: "text", orNumber: true, check: "as the option" };
/** A number without a unit. */
export const AS_NUMBER: KeyShape = { kind: "number" };

/** True or false. */
export function asFlag(about?: string): KeyShape {
  return { kind: "flag", ...given({ about }) };
}

/** A list of texts. */
export function asList(about: string): KeyShape {
  return { kind: "list", about };
}

/** Values by names that the user chooses. */
export function asMap(
  about: string,
  of: string,
  sign: string,
  check?: (name: string, value: string) => void,
): KeyShape {
  return { kind: "map", about, of, sign, check };
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

/** The items of a list as texts of an option that separates them by commas. */
export function escapeCommas(items: readonly string[]): readonly string[] {
  return items.map((item) => item.replaceAll(",", "\\,"));
}
