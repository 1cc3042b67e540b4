import { writeFileSync } from "node:fs";
import type { Form } from "../options/declaration.ts";
import { flagOf, type TableEntry, useIn } from "../options/table.ts";
import { type LibraryCommand, libraryOptions } from "./begin-command.ts";

// A step of the build: writes the types of the options, in place of those of options.ts, from the table of options.
const types = `${spellType("push", "PushOptions")}\n${spellType("check", "CheckOptions")}`;
writeFileSync(new URL("../library/types/library/options.d.ts", import.meta.url), types);

function spellType(command: LibraryCommand, name: string): string {
  const members = libraryOptions(command).map((entry) => spellMember(entry, command));
  return `/** The options of a ${command}. Where a comment shows \`name=value\` or \`Name: value\`, the option is an object with that member. */
export interface ${name} {
${members.join("\n")}
}
`;
}

function spellMember({ name, declaration }: TableEntry, command: LibraryCommand): string {
  const help = useIn(command, declaration) ?? "";
  const { form } = declaration;
  const flag = flagOf(name, declaration);
  const about = form.kind === "negated" ? `false: ${help}` : help;
  return `  /** ${about.replaceAll("*/", "*\\/")} (\`${flag}\`) */\n  readonly ${name}?: ${typeOf(form, flag)} | undefined;`;
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
