import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandJsonNumber } from "../../src/model/rows.ts";

describe("expandJsonNumber", () => {
  it.each([
    ["0", "0"],
    ["-0", "-0"],
    ["0.10", "0.10"],
    ["12345678901234567890", "12345678901234567890"],
    ["5.51035e5", "551035"],
    ["1e2", "100"],
    ["1E+2", "100"],
    ["1.50e1", "15.0"],
    ["1.5e0", "1.5"],
    ["5e-1", "0.5"],
    ["-12.5e-3", "-0.0125"],
    ["0e5", "0"],
    ["0.0e3", "0"],
    ["0.012e2", "1.2"],
    ["1e400", `1${"0".repeat(400)}`],
  ])("writes %s as %s", (source, expected) => {
    expect(expandJsonNumber(source)).toBe(expected);
  });

  it.each(["1e401", "1e-401", "1e99999999999", "", "abc", "1.", ".5", "+1", "0x10"])(
    "gives nothing for %j",
    (source) => {
      expect(expandJsonNumber(source)).toBeUndefined();
    },
  );

  it("keeps every digit wherever the point is moved", () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,20}$/);
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 60 }), (whole, zeros) => {
        expect(expandJsonNumber(`${whole}e${zeros}`)).toBe(whole + "0".repeat(zeros));
        const shifted = expandJsonNumber(`${whole}e-${zeros}`)!;
        expect(shifted.replace(".", "").replace(/^0+/, "")).toBe(whole);
        expect(shifted.split(".")[1]?.length ?? 0).toBe(zeros);
      }),
    );
  });
});
