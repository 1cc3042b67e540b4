import type { RawOptions } from "./program.ts";

/** The text of an option, where it was given. */
export function textOf(options: RawOptions, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** The texts of an option that may be repeated. */
export function textsOf(options: RawOptions, name: string): readonly string[] {
  const value = options[name];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** True where a flag was given. */
export function isSet(options: RawOptions, name: string): boolean {
  return options[name] === true;
}

/** Runs a parser over an option's text, where it was given. */
export function parsed<T>(
  options: RawOptions,
  name: string,
  parse: (option: string, value: string) => T,
): T | undefined {
  const text = textOf(options, name);
  return text === undefined ? undefined : parse(flagOf(name), text);
}

/** `batchSize` -> `--batch-size` */
function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Leaves out what was not given, as exact optional properties ask. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
