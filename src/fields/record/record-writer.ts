import { PlainWriter } from "../../kernel/write.ts";
import { JsonNumber } from "../../model/rows.ts";
import type { ExaminedField, GivenValues } from "./examine-row.ts";
import type { FieldPlan } from "./field-plan.ts";
import { plainColumn, plainRules } from "./plain-columns.ts";

/** Writes the records of plain rows from their bytes; `undefined` if all rows of a plan need a closer look. */
export function plainWriter({
  fields,
  parts: { specs },
  rules,
  constants,
}: FieldPlan): PlainWriter | undefined {
  const plain = plainRules(fields, rules);
  if (plain === undefined) return undefined;
  const columns = fields.map((field, slot) => ({
    ...plainColumn(field, specs[slot]!.kind, rules),
    isAwaited: field.isRequired || field.fallback !== undefined,
    first: Buffer.from(`{${jsonString(field.field)}:"`),
    next: Buffer.from(`",${jsonString(field.field)}:"`),
    read: (text: string, isText: boolean) => readAgain(field, text, isText),
  }));
  const extras = [...constants].map(([name, value]) => `,${jsonString(name)}:${jsonString(value)}`).join("");
  return new PlainWriter(columns, plain, Buffer.from(`"${extras}}`));
}

/** The wire value of a cell, as its reader says. */
function readAgain({ take }: ExaminedField, text: string, isText: boolean): string | undefined {
  if (!isText && !/^[\d-]/.test(text)) return undefined;
  const value = take(isText ? text : new JsonNumber(text), 0);
  return typeof value === "string" ? value : undefined;
}

/** Makes the JSON text of the values last examined: members in column order, then constants, then defaults. */
export function jsonBuilder(plan: FieldPlan, given: GivenValues): () => string {
  // Each begins with the quote that closes the member before it: fewer pieces are several times cheaper to join.
  const firsts = plan.fields.map(({ field }) => `{${jsonString(field)}:"`);
  const nexts = plan.fields.map(({ field }) => `",${jsonString(field)}:"`);
  const constants = [...plan.constants]
    .map(([field, value]) => `${jsonString(field)}:${jsonString(value)}`)
    .join(",");
  const fallbacks = plan.fields.flatMap(({ field, fallback }, slot) =>
    fallback === undefined ? [] : [{ slot, member: `,${jsonString(field)}:${jsonString(fallback)}` }],
  );
  return () => {
    const { count, slots, values } = given;
    let text = "";
    for (let at = 0; at < count; at++) {
      const slot = slots[at]!;
      text = text + (text === "" ? firsts[slot]! : nexts[slot]!) + jsonStringBody(values[at]!);
    }
    text = text === "" ? "{" : `${text}"`;
    if (constants !== "") text += text.length > 1 ? `,${constants}` : constants;
    let at = 0;
    for (const { slot, member } of fallbacks) {
      while (at < count && slots[at]! < slot) at++;
      if (at === count || slots[at] !== slot) text += member;
    }
    return `${text}}`;
  };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/**
 * A string as JSON text (RFC 8259 section 7). Lone surrogates become escapes, so that the text is always well-formed
 * Unicode.
 */
export function jsonString(text: string): string {
  return `"${jsonStringBody(text)}"`;
}

/** The same without the quotes around it. */
function jsonStringBody(text: string): string {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isPlain =
      code >= FIRST_PRINTABLE &&
      code !== QUOTE &&
      code !== BACKSLASH &&
      (code < FIRST_SURROGATE || code > LAST_SURROGATE);
    // JSON.stringify knows every escape; most texts need none, and then the loop alone is several times faster.
    if (!isPlain) return JSON.stringify(text).slice(1, -1);
  }
  return text;
}
