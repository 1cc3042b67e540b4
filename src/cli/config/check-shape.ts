import { countEdits } from "../../fields/columns/near-miss.ts";
import { RecPushError } from "../../model/failure.ts";
import { quoteText, showText } from "../../model/visible-text.ts";
import type { ListShape, MapShape, ObjectShape, Shape } from "./shape.ts";

/** A mistake in a config, with its place. It does not repeat a value that may be secret. */
export interface ConfigMistake {
  readonly kind: "unknown-key" | "wrong-type" | "wrong-value";
  readonly path: string;
  readonly text: string;
}

/** Finds the mistakes in a value, in the order of the file. */
export function checkShape(value: unknown, shape: Shape, path = ""): ConfigMistake[] {
  switch (shape.kind) {
    case "text":
      if (typeof value === "number" && shape.orNumber === true) return checkText(value, shape.check, path);
      if (typeof value !== "string")
        return [wrongType(path, shape.orNumber ? "a text or a number" : "a text", value)];
      return checkText(value, shape.check, path);
    case "number":
      return typeof value === "number"
        ? checkText(value, shape.check, path)
        : [wrongType(path, "a number", value)];
    case "flag":
      return typeof value === "boolean" ? [] : [wrongType(path, "true or false", value)];
    case "list":
      return Array.isArray(value)
        ? checkList(value, shape, path)
        : [wrongType(path, "a list of texts", value)];
    case "map":
      return isObject(value) ? checkMap(value, shape, path) : [wrongType(path, "an object", value)];
    case "object":
      return isObject(value) ? checkObject(value, shape, path) : [wrongType(path, "an object", value)];
  }
}

function checkList(items: readonly unknown[], { check }: ListShape, path: string): ConfigMistake[] {
  const mistakes = items.flatMap((item, index) =>
    typeof item === "string" ? [] : [wrongType(`${path}[${index}]`, "a text", item)],
  );
  if (mistakes.length > 0 || check === undefined) return mistakes;
  return attempt(path, () => check(items as readonly string[], path));
}

function checkMap(
  value: Readonly<Record<string, unknown>>,
  { of, check }: MapShape,
  path: string,
): ConfigMistake[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const place = joinPath(path, name);
    const mistakes = checkShape(member, of, place);
    return mistakes.length > 0 || check === undefined
      ? mistakes
      : attempt(place, () => check(name, member, place));
  });
}

function checkObject(
  value: Readonly<Record<string, unknown>>,
  { keys, refused }: ObjectShape,
  path: string,
): ConfigMistake[] {
  return Object.entries(value).flatMap(([name, member]): ConfigMistake[] => {
    const place = joinPath(path, name);
    const shape = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (shape !== undefined) return checkShape(member, shape, place);
    const why = refused !== undefined && Object.hasOwn(refused, name) ? refused[name] : undefined;
    const text = why ?? `unknown key${nearest(name, Object.keys(keys))}`;
    return [{ kind: "unknown-key", path: place, text }];
  });
}

function checkText(
  value: string | number,
  check: ((text: string, path: string) => unknown) | undefined,
  path: string,
): ConfigMistake[] {
  return check === undefined ? [] : attempt(path, () => check(String(value), path));
}

function attempt(path: string, check: () => unknown): ConfigMistake[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { message, hint } = error;
    // Some messages begin with the option's name, which is the path here.
    const said = message.startsWith(path) ? message.slice(path.length).replace(/^:? /, "") : message;
    return [{ kind: "wrong-value", path, text: hint === undefined ? said : `${said}; ${hint}` }];
  }
}

function nearest(name: string, known: readonly string[]): string {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const [best] = known
    .map((key) => ({ key, edits: countEdits(plain(name), plain(key)) }))
    .filter(({ key, edits }) => edits <= 2 && edits < key.length)
    .toSorted((one, other) => one.edits - other.edits);
  return best === undefined ? `; known here: ${known.join(", ")}` : `; did you mean "${best.key}"?`;
}

function wrongType(path: string, wanted: string, value: unknown): ConfigMistake {
  return { kind: "wrong-type", path, text: `expected ${wanted}, not ${nameType(value)}` };
}

function nameType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "boolean") return String(value);
  return typeof value === "object" ? "an object" : typeof value === "string" ? "a text" : "a number";
}

/** The path of a member, as mistakes name it. */
export function joinPath(path: string, name: string): string {
  const shown = /^[\w$]+$/.test(name) ? name : quoteText(showText(name, 60));
  return path === "" ? shown : `${path}.${shown}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
