import { format } from "prettier";
import { type LibraryCommand, libraryOptions } from "../../src/library/library-options.ts";
import type { Form } from "../../src/options/declaration.ts";
import { flagOf, type TableEntry, useIn } from "../../src/options/table.ts";

const ABOUT: Readonly<Record<LibraryCommand, string>> = {
  push: "The options of a push. Where a comment shows `name=value` or `Name: value`, the option is an object with that member.",
  check:
    "The options of a check. Where a comment shows `name=value` or `Name: value`, the option is an object with that member.",
};

/** The type of the options of a command, as TypeScript with a comment for each, from the table. */
export function spellOptionsType(command: LibraryCommand): Promise<string> {
  const name = command === "push" ? "PushOptions" : "CheckOptions";
  const members = libraryOptions(command).map((entry) => spellMember(entry, command));
  const text = `// Written from the table of options by test/library/options.test.ts (npx vitest run test/library/options.test.ts --update).

/** ${ABOUT[command]} */
export interface ${name} {
${members.join("\n")}
}
`;
  return format(text, { parser: "typescript", printWidth: 110 });
}

function spellMember({ name, declaration }: TableEntry, command: LibraryCommand): string {
  const help = useIn(command, declaration) ?? "";
  const { form } = declaration;
  const flag = flagOf(name, declaration);
  const about = form.kind === "negated" ? `false: ${help}` : help;
  return `/** ${about.replaceAll("*/", "*\\/")} (\`${flag}\`) */\nreadonly ${name}?: ${typeOf(form, flag)} | undefined;`;
}

function typeOf(form: Form<unknown>, flag: string): string {
  switch (form.kind) {
    case "flag":
    case "negated":
      return "boolean";
    case "text":
      if (form.values !== undefined) return form.values.map((value) => JSON.stringify(value)).join(" | ");
      return takesNumber(form, flag) ? "string | number" : "string";
    case "texts":
      switch (form.items.kind) {
        case "texts":
        case "list":
          return "readonly string[]";
        case "pairs":
          return "Readonly<Record<string, string>>";
        case "lists":
          return "Readonly<Record<string, readonly string[]>>";
      }
    case "unwritten":
      throw new Error("only configs have it");
  }
}

/** True if the parser makes more of digits than a text. */
function takesNumber(form: Extract<Form<unknown>, { kind: "text" }>, flag: string): boolean {
  try {
    return typeof form.parse("20", flag) !== "string";
  } catch {
    return false;
  }
}
