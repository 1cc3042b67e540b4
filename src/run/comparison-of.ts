import { typeOfField } from "../fields/columns/known-fields.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import { ComparisonForm } from "../ledger/comparison-form.ts";

/**
 * How the creates of an input are compared with others; `identity` names fields that identify a record by themselves.
 */
export function comparisonOf(
  { fields, parts: { options } }: FieldPlan,
  identity?: readonly string[],
): ComparisonForm {
  const compared = fields.map(({ field, header, fallback }) => {
    // A format only says how cells are read; the values read are what is compared.
    const { kind } = typeOfField(field, options);
    const number = kind === "amount" || kind === "digits" ? kind : undefined;
    return { field, header, fallback, type: JSON.stringify({ kind }), number };
  });
  return new ComparisonForm(compared, identity);
}
