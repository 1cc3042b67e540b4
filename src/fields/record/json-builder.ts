import type { GivenValues } from "./examine-row.ts";
import type { FieldPlan } from "./field-plan.ts";
import { jsonString, jsonStringBody } from "./json-text.ts";

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
