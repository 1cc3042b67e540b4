import { showText } from "../../model/visible-text.ts";

/** Text that is already markup; only {@link markup} makes it. */
export class Markup {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** What a template may contain: texts are escaped, markup is not, and `false` and `undefined` show nothing. */
export type Part = Markup | string | number | false | undefined | readonly Part[];

/** No message is longer. */
const MOST_CHARACTERS = 32_768;

/**
 * Makes markup. Each text between the parts of the template is shown as visible characters that can neither be a tag
 * nor end an attribute, because it may come from a file or from the service.
 */
export function markup(pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(pieces.map((piece, at) => `${piece}${write(parts[at])}`).join(""));
}

function write(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Markup) return part.source;
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escape(showText(part, MOST_CHARACTERS));
  return part.map(write).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (sign) => ENTITIES[sign]!);
}
