import { amountReader, type AmountRules } from "../amount/read-amount.ts";
import { dateReader, type DateRules } from "../date/date.ts";
import { readDigits } from "../digits.ts";
import { readText, type ReadValue } from "../type-text.ts";

/** A settled format as plain data; {@link readerOf} makes its reader. */
export type FormatSpec =
  | { readonly kind: "text" }
  | { readonly kind: "digits" }
  | ({ readonly kind: "amount" } & AmountRules)
  | ({ readonly kind: "date" } & DateRules);

/** Makes the reader of a settled column. Throws a usage error for an unknown time zone. */
export function readerOf(spec: FormatSpec): ReadValue {
  switch (spec.kind) {
    case "text":
      return readText;
    case "digits":
      return readDigits;
    case "amount":
      return amountReader(spec);
    case "date":
      return dateReader(spec);
  }
}
