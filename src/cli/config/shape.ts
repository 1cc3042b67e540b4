/** The type of a value in the config. The validator and the JSON Schema are derived from it. */
export type Shape = TextShape | NumberShape | FlagShape | ListShape | MapShape | ObjectShape;

interface Described {
  /** A description for people, in the JSON Schema. */
  readonly about: string;
}

/** Parses a value as the corresponding option does. Throws a usage error for a bad value. */
type CheckText = (text: string, path: string) => unknown;

/** A text; with `orNumber` also a number, as for sizes and times. */
interface TextShape extends Described {
  readonly kind: "text";
  readonly values?: readonly string[];
  readonly orNumber?: boolean;
  readonly check?: CheckText;
}

/** A number without a unit. */
interface NumberShape extends Described {
  readonly kind: "number";
  readonly check: CheckText;
}

/** True or false. */
interface FlagShape extends Described {
  readonly kind: "flag";
}

/** A list of texts. */
export interface ListShape extends Described {
  readonly kind: "list";
  readonly check?: (texts: readonly string[], path: string) => unknown;
}

/** Values by names that the user chooses. */
export interface MapShape extends Described {
  readonly kind: "map";
  readonly of: Shape;
  readonly check?: (name: string, value: unknown, path: string) => unknown;
}

/** Values by fixed names; any other name is a mistake. */
export interface ObjectShape extends Described {
  readonly kind: "object";
  readonly keys: Readonly<Record<string, Shape>>;
  /** Names that are refused with a message of their own. */
  readonly refused?: Readonly<Record<string, string>>;
}
