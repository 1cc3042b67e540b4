import type { OptionTexts } from "../model/option-texts.ts";
import { TABLE } from "./table.ts";

/** The options that environment variables set; an empty variable sets nothing. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): OptionTexts {
  return Object.fromEntries(
    TABLE.flatMap(({ name, declaration: { environment } }) =>
      environment !== undefined && env[environment] ? [[name, env[environment]] as const] : [],
    ),
  );
}
