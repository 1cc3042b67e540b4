import { JsonWindow } from "./json-fault.ts";
import { type JsonListener, JsonScanner } from "./json-scan.ts";

/** One member of a JSON object as it is in the text: its name without escapes, and both sides as source. */
export interface JsonMember {
  readonly name: string;
  readonly source: string;
}

/** Splits the text of one valid JSON object into its members, in order; line ends between tokens are left out. */
export function splitMembers(object: string): JsonMember[] {
  // A line end is never inside a JSON string (RFC 8259 section 7), so line ends and indentation can be removed.
  const text = Buffer.from(object.trim().replaceAll(/[\r\n]+[ \t]*/g, ""));
  const window = new JsonWindow("");
  const scanner = new JsonScanner(window, false);
  const found = new NameFinder(scanner);
  scanner.listener = found;
  scanner.captureDepth = 1;
  window.ended = true;
  scanner.feed(text);
  while (scanner.scan());
  return found.names.map(({ name, start }, at) => {
    const next = found.names[at + 1]?.start ?? text.length;
    // After the value comes a comma before the next member, or the brace that closes the object.
    return { name, source: text.toString("utf8", start, next).trimEnd().slice(0, -1).trimEnd() };
  });
}

/** Finds the names of the outer object's members, and where each begins. */
class NameFinder implements JsonListener {
  readonly names: { readonly name: string; readonly start: number }[] = [];
  readonly #scanner: JsonScanner;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  name(): void {
    const { token } = this.#scanner;
    this.names.push({ name: token.text(), start: token.start - 1 });
  }

  open(): void {}

  close(): boolean {
    return false;
  }

  scalar(): void {}
}
