import { expect, it } from "vitest";
import type { ColumnReport } from "../../src/model/counts.ts";
import { pinnedSection } from "../../src/options/derive.ts";
import { csvReading, fieldOptions, survey } from "../fields/survey/survey-support.ts";

it("names as many columns as a survey reports", { timeout: 20_000 }, () => {
  const { plan: _, ...found } = survey(csvReading(["cle", "a"]), []);
  const columns = Array.from({ length: 200_000 }, (__, at): ColumnReport => ({
    ...found.columns[1]!,
    isOther: false,
    column: at + 1,
    header: at % 2 === 0 ? `c${at}` : `c${at % 4}`,
    field: at % 2 === 0 ? `c${at}` : undefined,
  }));
  const report = { reading: csvReading([]), ...found, columns };
  const { map, drop } = pinnedSection(report, {}, fieldOptions());
  expect(Object.keys(map ?? {})).toHaveLength(100_000);
  expect(map).toMatchObject({ c4: "c4" });
  expect((drop as string[]).slice(0, 3)).toEqual(["2", "4", "6"]);
});

it("writes the fields of --identify-by one by one, as a config lists them", () => {
  const { plan: _, ...found } = survey(csvReading(["cle", "a"]), []);
  const report = { reading: csvReading(["cle", "a"]), ...found };
  const { identifyBy, headerLine } = pinnedSection(
    report,
    { identifyBy: ["a,b", "c"], headerLine: "3" },
    fieldOptions(),
  );
  expect([identifyBy, headerLine]).toEqual([["a", "b", "c"], 3]);
});
