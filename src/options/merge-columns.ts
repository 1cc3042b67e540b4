import { normaliseName } from "../fields/columns/column-names.ts";
import { splitAtCommas } from "../fields/field-option-texts.ts";
import { textsOf } from "../model/option-texts.ts";
import { listed, type Merge } from "./config-key.ts";

/** A rule is dropped if the side with priority maps or drops its column, or maps another column to its field. */
export const mergeMap: Merge = ({ less, more }) => {
  const rules = textsOf(more, "map");
  const columns = new Set(rules.map(columnOf));
  const fields = new Set(rules.map(fieldOf));
  for (const dropped of textsOf(more, "drop").flatMap(splitAtCommas)) columns.add(normaliseName(dropped));
  const kept = textsOf(less, "map").filter(
    (rule) => !columns.has(columnOf(rule)) && !fields.has(fieldOf(rule)),
  );
  return listed([...kept, ...rules]);
};

/** Both sides, without the columns that the side with priority maps. */
export const mergeDrop: Merge = ({ less, more }) => {
  const mapped = new Set(textsOf(more, "map").map(columnOf));
  const drops = textsOf(less, "drop").filter((column) => !mapped.has(normaliseName(column)));
  return listed([...drops, ...textsOf(more, "drop")]);
};

function columnOf(rule: string): string {
  return normaliseName(rule.slice(0, Math.max(rule.lastIndexOf("="), 0)));
}

function fieldOf(rule: string): string {
  return rule.slice(rule.lastIndexOf("=") + 1).trim();
}
