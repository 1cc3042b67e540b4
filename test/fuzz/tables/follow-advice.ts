import { splitWords } from "../../../src/model/text.ts";
import type { DrawnFile } from "./drawn-table.ts";
import type { CommandEnd, Others } from "./judge-sent.ts";
import { readAdvice } from "./read-advice.ts";

/** The end to which the advice led. */
interface FollowedEnd {
  readonly end: CommandEnd;
  /** The options with which it ended. */
  readonly options: readonly string[];
  /** Why it led nowhere; `undefined` if it did not. A stop that names what to mend in the file is not nowhere. */
  readonly deadEnd: string | undefined;
}

const MOST_STEPS = 20;
/** What a person does to a file, or to the export that made it. */
const MENDS =
  /mend|in quotes|delete|complete the row|export|join the|rename|name to the header|names to the header|move the header|split the file|keep one|header has to end|convert|close the cell|double|empty the cell|write it out|name the workbook|unpack|save it|iconv|look at the file|another: --encoding|COLUMN=field/i;

/**
 * Follows the advice of a stop to the letter: the ready line first; without one, or where it was already added, the first printed
 * answer that is true. It looks no step ahead.
 */
export async function followAdvice(
  file: DrawnFile,
  { others, given }: { readonly others: Others; readonly given: readonly string[] },
  stop: CommandEnd,
  run: (options: readonly string[]) => Promise<CommandEnd>,
): Promise<FollowedEnd> {
  const options = [...given];
  let [end, typed] = [stop, given.join(" ")];
  for (let steps = 0; end.code === 3; steps++) {
    if (steps >= MOST_STEPS) return { end, options, deadEnd: "too many steps" };
    const { ready, choices } = readAdvice(end.told);
    const isNew = ready !== undefined && !typed.includes(ready);
    const answer = isNew
      ? ready
      : choices.find((one) => !typed.includes(one) && mayAnswer(one, file, others));
    if (answer === undefined) {
      const deadEnd = MENDS.test(end.told) ? undefined : "no option that is true, and nothing to mend";
      return { end, options, deadEnd };
    }
    typed = `${typed} ${answer}`;
    options.push(...splitWords(answer));
    const before = end;
    end = await run(options);
    if (end.code === 2) return { end, options, deadEnd: "an advised option is refused" };
    if (end.code === 3 && end.told === before.told)
      return { end, options, deadEnd: "the same question again" };
  }
  return { end, options, deadEnd: undefined };
}

/** False for an answer that a person who knows the file would not give. */
function mayAnswer(choice: string, file: DrawnFile, others: Others): boolean {
  const asked = [...choice.matchAll(/(--[a-z-]+) ?("[^"]*"|'[^']*'|\S*)/g)];
  return asked.every(([, flag = "", value = ""]) => isTrue(flag, value.replace(/["']/g, ""), file, others));
}

function isTrue(
  flag: string,
  value: string,
  { facts, columns, oddities }: DrawnFile,
  others: Others,
): boolean {
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
    case "--json-path":
      return value !== "details";
    case "--format":
      return !oddities.includes("error answer");
    case "--header-line":
      return !/late|second/.test(oddities.join());
    case "--map": {
      const [, name = "", field = ""] = /^(.*)=(\w+)$/.exec(value) ?? [];
      const told = columns.find(({ header }, at) => String(at + 1) === name || plain(header) === plain(name));
      if (told === undefined) return true;
      return told.declared === undefined
        ? others === "send" && !columns.some(({ declared }) => declared === field) && field !== "cle"
        : told.declared === field;
    }
    // A row that truly holds little is one; where others are none, no answer is right for both.
    case "--sparse":
      return value === "keep" && !oddities.some((oddity) => /total|title|remark|rule|header/.test(oddity));
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
