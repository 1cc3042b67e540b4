import { describe, expect, it } from "vitest";
import { createHeaderTest } from "../../../src/fields/columns/other-columns.ts";
import { DEFAULT_FIELD_OPTIONS } from "../../support/field-options.ts";

describe("createHeaderTest", () => {
  const isKnown = createHeaderTest({
    ...DEFAULT_FIELD_OPTIONS,
    map: [{ column: "Order No", field: "order_no" }],
    drop: ["Remarks"],
  });

  it.each(["cle", "Clé", "Num Commande", "Order No", "remarks"])("knows %s", (cell) => {
    expect(isKnown(cell)).toBe(true);
  });

  it.each(["", "Export of July", "clef"])("does not know %j", (cell) => {
    expect(isKnown(cell)).toBe(false);
  });
});
