import type { DrawnFile } from "../tables/drawn-table.ts";

/** False for an answer that a person who knows the file would not give. */
export function mayAnswer(choice: string, { facts, columns, oddities }: DrawnFile): boolean {
  const [, flag, value = ""] = /^(--[a-z-]+) ?"?([^"]*)/.exec(choice) ?? [];
  switch (flag) {
    case "--decimal":
      return value === facts.decimal;
    case "--date-format":
      return value === facts.dateFormat;
    case "--delimiter":
      return value === (facts.delimiter ?? value);
    case "--encoding":
      return value.replace("!", "") === (facts.encoding ?? value);
    case "--no-header":
      return !facts.hasHeader;
    case "--null":
    case "--key-literal":
      return false;
    case "--format":
      return !oddities.includes("error answer");
    case "--header-line":
      return !/late|second/.test(oddities.join());
    case "--totals":
      return value === "skip" || !oddities.some((oddity) => oddity.includes("total"));
    case "--type": {
      const [, type = "", format] = /=([a-z]+)(?::(.*))?$/.exec(value) ?? [];
      const field = value.split("=")[0]!;
      const kinds = columns.filter(({ declared, header }) => declared === field || header === field);
      if (kinds.length > 0 && !kinds.some(({ kind }) => kind === type || (kind === "key" && type === "text")))
        return false;
      if (format === undefined) return true;
      return type === "date"
        ? format === facts.dateFormat
        : [",", "."].includes(format)
          ? format === facts.decimal
          : true;
    }
    default:
      return true;
  }
}
