import { inputError } from "../input-error.ts";
import { JsonWindow, showName } from "./json-fault.ts";
import { type JsonListener, type JsonScalar, JsonScanner } from "./json-scan.ts";

/** A container that is being filled, and the member that comes next. */
interface OpenContainer {
  readonly value: unknown[] | Record<string, unknown>;
  name: string;
}

/**
 * Reads a whole JSON text into a value, as JSON.parse does. Throws an input error with line and column for broken JSON,
 * for containers nested too deeply, and for a name given twice in one object.
 */
export function readJsonValue(text: string, file: string): unknown {
  const window = new JsonWindow(file);
  const scanner = new JsonScanner(window, false);
  const listener = new ValueBuilder(scanner);
  scanner.listener = listener;
  scanner.captureDepth = Infinity;
  window.ended = true;
  scanner.feed(Buffer.from(text.replace(/^\uFEFF/, "")));
  while (scanner.scan());
  return listener.whole;
}

class ValueBuilder implements JsonListener {
  whole: unknown;
  readonly #scanner: JsonScanner;
  readonly #open: OpenContainer[] = [];

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  open(isObject: boolean): void {
    const value = isObject ? {} : [];
    this.#put(value);
    this.#open.push({ value, name: "" });
  }

  close(): boolean {
    this.#open.pop();
    return false;
  }

  name(): void {
    const { token, window } = this.#scanner;
    const holder = this.#open.at(-1)!;
    holder.name = token.text();
    if (!Object.hasOwn(holder.value, holder.name)) return;
    const place = window.placeOf(token.start - 1);
    throw inputError(place, "json-member-twice", `the key ${showName(holder.name)} is given twice`);
  }

  scalar(type: JsonScalar): void {
    const text = type === "string" || type === "number" ? this.#scanner.token.text() : type;
    this.#put(type === "string" ? text : JSON.parse(text));
  }

  #put(value: unknown): void {
    const holder = this.#open.at(-1);
    if (holder === undefined) this.whole = value;
    else if (Array.isArray(holder.value)) holder.value.push(value);
    // A plain assignment of "__proto__" would set the prototype.
    else Object.defineProperty(holder.value, holder.name, { value, ...OWN });
  }
}

const OWN = { configurable: true, enumerable: true, writable: true } as const;
