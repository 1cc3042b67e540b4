import type { DrawnFile } from "../tables/drawn-table.ts";

/** False for an answer that a person who knows the file would not give. */
export function mayAnswer(choice: string, file: DrawnFile): boolean {
  const asked = [...choice.matchAll(/(--[a-z-]+) ?("[^"]*"|'[^']*'|\S*)/g)];
  return asked.every(([, flag = "", value = ""]) => isTrue(flag, value.replace(/["']/g, ""), file));
}

function isTrue(flag: string, value: string, { facts, columns, oddities }: DrawnFile): boolean {
  switch (flag) {
    case "--decimal":
      return value === facts.decimal;
    case "--date-format":
      return value === facts.dateFormat;
    case "--delimiter":
      return value === (facts.delimiter ?? value);
    case "--encoding":
      return value.replace("!", "") === (facts.encoding ?? value);
    case "--null":
    case "--key-literal":
      return !oddities.includes("keys that are none");
    case "--no-header":
      return !facts.hasHeader;
    case "--other-columns":
      return value === "send";
    case "--drop":
      return oddities.some((oddity) => /member is|duplicate|nameless/.test(oddity));
    case "--format":
      return !oddities.includes("error answer");
    case "--header-line":
      return !/late|second/.test(oddities.join());
    case "--map": {
      const [, name = "", field = ""] = /^(.*)=(\w+)$/.exec(value) ?? [];
      const told = columns.find(({ header }, at) => String(at + 1) === name || plain(header) === plain(name));
      if (told === undefined) return true;
      return told.declared === undefined
        ? !columns.some(({ declared }) => declared === field) && field !== "cle"
        : told.declared === field;
    }
    case "--totals":
      return value === "skip" || !oddities.some((oddity) => oddity.includes("total"));
    case "--type": {
      const [, type = "", format] = /=([a-z]+)(?::(.*))?$/.exec(value) ?? [];
      const field = value.split("=")[0]!;
      const kinds = columns.filter(
        ({ declared, header }, at) =>
          declared === field ||
          (header === "" ? field === `column_${at + 1}` : plain(header) === plain(field)),
      );
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

function plain(name: string): string {
  return name
    .normalize("NFD")
    .replace(/[^A-Za-z0-9]/g, "")
    .toLowerCase();
}
