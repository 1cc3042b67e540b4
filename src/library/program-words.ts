import { splitWords } from "../model/text.ts";
import type { Form } from "../options/declaration.ts";
import { programOptions, takesNumber } from "../options/program-values.ts";
import { flagOf } from "../options/table.ts";

const ENTRIES = new Map(
  programOptions("push").map((entry) => [flagOf(entry.name, entry.declaration), entry]),
);

/** A flag, and the word after it: quoted, a lone mark, or up to the sign that ends a part of the sentence. */
const FLAG =
  /(--[a-z][\w-]*)(?:([ =])("[^"]*"|'[^']*'|[^\s"'();-][^\s"'();]*:[,.](?!\S)|[,.](?!\S)|[^\s"'();,.-](?:[^\s"'();]*[^\s"'();,.])?))?/g;

/** By the name of an option: its values in a text, with the form that prints them. */
type Options = Map<string, { readonly form: Form<unknown>; readonly values: string[] }>;

/**
 * The options of a hint as a program gives them: `--map A=a --map B=b` becomes `map: { A: "a", B: "b" }`. A line with a
 * command is for a shell and stays as it is.
 */
export function inProgramWords(hint: string): string {
  return hint
    .split("\n")
    .map((line) => (/\brec-push /.test(line) ? line : rewordLine(line)))
    .join("\n");
}

function rewordLine(line: string): string {
  const parts: (string | Options)[] = [];
  let end = 0;
  for (const { 0: all, 1: flag = "", 2: sign, 3: word = "", index } of line.matchAll(FLAG)) {
    const entry = ENTRIES.get(flag);
    if (entry === undefined) continue;
    const { form } = entry.declaration;
    const value = splitWords(word)[0] ?? "";
    const between = line.slice(end, index);
    const last = parts.at(-1);
    const isOneOfSeveral = between === " " && typeof last === "object";
    const options: Options = isOneOfSeveral ? last : new Map();
    if (!isOneOfSeveral) parts.push(between, options);
    const isValue = sign === "=" || word !== value || isValueOf(form, value, isOneOfSeveral);
    const values = options.get(entry.name)?.values ?? [];
    options.set(entry.name, { form, values: isValue ? [...values, value] : values });
    end = index + (isValue ? all : flag).length;
  }
  const shown = parts.map((part) => (typeof part === "string" ? part : showOptions(part)));
  return shown.join("") + line.slice(end);
}

/** False for a word of the sentence after an option that is only named, unless it belongs to a line of options. */
function isValueOf(form: Form<unknown>, word: string, isOneOfSeveral: boolean): boolean {
  if (form.kind === "flag" || form.kind === "negated" || word === "") return false;
  if (form.kind === "text" && form.values !== undefined) return form.values.includes(word);
  return isPairs(form) ? word.includes(form.items.sign.trim()) : isOneOfSeveral || /[^a-z]/.test(word);
}

type Pairs = Extract<Form<unknown>, { kind: "texts" }> & { readonly items: { readonly kind: "pairs" } };

function isPairs(form: Form<unknown>): form is Pairs {
  return form.kind === "texts" && form.items.kind === "pairs";
}

function showOptions(options: Options): string {
  return [...options].map(([name, { form, values }]) => name + showValue(form, values)).join(", ");
}

function showValue(form: Form<unknown>, values: readonly string[]): string {
  if (form.kind === "flag" || form.kind === "negated") return `: ${form.kind === "flag"}`;
  const [first] = values;
  if (first === undefined) return "";
  if (form.kind === "text")
    return `: ${takesNumber(form) && /^\d+$/.test(first) ? first : JSON.stringify(first)}`;
  if (!isPairs(form)) return `: [${values.map((value) => JSON.stringify(value)).join(", ")}]`;
  const { sign, split } = form.items;
  const members = values.map((pair) => {
    const at = split === "first" ? pair.indexOf(sign.trim()) : pair.lastIndexOf(sign.trim());
    const name = pair.slice(0, at);
    const shown = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${shown}: ${JSON.stringify(pair.slice(at + 1).trim())}`;
  });
  return `: { ${members.join(", ")} }`;
}
