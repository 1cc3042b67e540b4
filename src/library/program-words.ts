import { splitWords } from "../model/text.ts";
import type { Form } from "../options/declaration.ts";
import { programOptions } from "../options/program-values.ts";
import { flagOf } from "../options/table.ts";

const ENTRIES = new Map(
  programOptions("push").map((entry) => [flagOf(entry.name, entry.declaration), entry]),
);

/** A flag, and the word after it, up to the sign that ends a part of the sentence. */
const FLAG =
  /(--[a-z][\w-]*)(?:[ =]("[^"]*"|'[^']*'|(?:[^\s"'();-][^\s"'();]*)?(?:(?<=[\s:])[,.](?!\S)|[^\s"'();,.-])))?/g;

/** By the name of an option: the values that a text gives it. */
type Options = Map<string, { readonly form: Form<unknown>; readonly values: readonly string[] }>;

/**
 * The options of a hint as a program gives them: `--map A=a --map B=b` becomes `map: { A: "a", B: "b" }`. A line with a
 * command is for a shell and stays as it is.
 */
export function inProgramWords(hint: string): string {
  const reword = (line: string): string => (/\brec-push /.test(line) ? line : rewordLine(line));
  return hint.split("\n").map(reword).join("\n");
}

function rewordLine(line: string): string {
  const parts: (string | Options)[] = [];
  let end = 0;
  for (const { 0: all, 1: flag = "", 2: word = "", index } of line.matchAll(FLAG)) {
    const entry = ENTRIES.get(flag);
    if (entry === undefined) continue;
    const { form } = entry.declaration;
    const last = parts.at(-1);
    const isJoined = line.slice(end, index) === " " && typeof last === "object";
    const options: Options = isJoined ? last : new Map();
    if (!isJoined) parts.push(line.slice(end, index), options);
    const [value = ""] = splitWords(word);
    const isValue = word !== "" && (word !== value || isValueOf(form, value, isJoined));
    const values = options.get(entry.name)?.values ?? [];
    options.set(entry.name, { form, values: isValue ? [...values, value] : values });
    end = index + (isValue ? all : flag).length;
  }
  const show = (options: Options): string =>
    [...options].map(([name, { form, values }]) => name + showValues(form, values)).join(", ");
  return parts.map((part) => (typeof part === "string" ? part : show(part))).join("") + line.slice(end);
}

/** False for a word of the sentence after an option that is only named, unless it stands in a line of options. */
function isValueOf(form: Form<unknown>, word: string, isJoined: boolean): boolean {
  if (form.kind === "flag" || form.kind === "negated") return false;
  if (form.kind === "text" && form.values !== undefined) return form.values.includes(word);
  if (form.kind === "texts" && form.items.kind === "pairs") return word.includes(form.items.sign.trim());
  return isJoined || /[^a-z]/.test(word);
}

function showValues(form: Form<unknown>, values: readonly string[]): string {
  if (form.kind === "flag" || form.kind === "negated") return `: ${form.kind === "flag"}`;
  if (values.length === 0) return "";
  if (form.kind === "text") return `: ${JSON.stringify(values[0])}`;
  if (form.items.kind !== "pairs") return `: ${JSON.stringify(values)}`;
  const { sign, split } = form.items;
  const pairs = values.map((pair) => {
    const at = split === "first" ? pair.indexOf(sign.trim()) : pair.lastIndexOf(sign.trim());
    return `${JSON.stringify(pair.slice(0, at))}: ${JSON.stringify(pair.slice(at + 1).trim())}`;
  });
  return `: { ${pairs.join(", ")} }`;
}
