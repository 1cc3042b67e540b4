import { expect, it } from "vitest";
import { createHeaderTest } from "../../../src/fields/columns/other-columns.ts";
import { DEFAULT_FIELD_OPTIONS } from "../../support/field-options.ts";

it("a cell is a known header if a field, --map or --drop names it", () => {
  const map = [{ column: "Order No", field: "order_no" }];
  const isKnown = createHeaderTest({ ...DEFAULT_FIELD_OPTIONS, map, drop: ["Remarks"] });
  const known = ["cle", "Clé", "Num Commande", "Order No", "remarks"];
  expect([...known, "", "Export of July", "clef"].filter(isKnown)).toEqual(known);
});
