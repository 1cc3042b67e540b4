import type { OptionTexts } from "../model/option-texts.ts";
import { given } from "./declaration.ts";
import { TABLE } from "./table.ts";

/**
 * The options that environment variables set; an empty variable sets nothing. For a repeatable option the variable
 * names a file, as @FILE does.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): OptionTexts {
  return Object.fromEntries(
    TABLE.flatMap(({ name, declaration: { environment, form } }) => {
      const text = environment === undefined ? undefined : env[environment];
      return text ? [[name, form.kind === "texts" ? [`@${text}`] : text] as const] : [];
    }),
  );
}

/** Merges the options of two sides; `more` has priority. */
export function mergeTexts(less: OptionTexts, more: OptionTexts): OptionTexts {
  const merged = TABLE.map(({ name, declaration: { merge } }) => [
    name,
    merge === undefined ? (more[name] ?? less[name]) : merge({ less, more }, name),
  ]);
  return given(Object.fromEntries(merged) as OptionTexts);
}
