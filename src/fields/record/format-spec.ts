import { amountReader, type AmountRules } from "../amount/amount-evidence.ts";
import { dateReader, type DateRules } from "../date/date.ts";
import { openTimeZone } from "../date/time-zone.ts";
import { readDigits } from "../digits.ts";
import { readText, type ReadValue } from "../type-text.ts";

/** A settled format as plain data; {@link readerOf} makes its reader. */
export type FormatSpec =
  | { readonly kind: "text" }
  | { readonly kind: "digits" }
  | ({ readonly kind: "amount" } & AmountRules)
  | ({ readonly kind: "date" } & DateSpec);

/** The rules of a date column, with the time zone by name. */
export interface DateSpec extends Pick<DateRules, "orders" | "isPinned" | "pivotYear" | "format" | "field"> {
  /** `--time-zone`. */
  readonly timeZone: string | undefined;
  readonly zone: { readonly kind: "refuse" | "written" | "convert" };
}

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
      return dateReader(dateRules(spec));
  }
}

function dateRules({ timeZone, zone, ...rules }: DateSpec): DateRules {
  const dateInZone = timeZone === undefined ? undefined : openTimeZone(timeZone);
  if (zone.kind !== "convert") return { ...rules, zone: { kind: zone.kind } };
  if (dateInZone === undefined) throw new Error("dates are converted to a time zone, and there is none");
  return { ...rules, zone: { kind: "convert", dateInZone } };
}
