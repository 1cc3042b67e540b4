import { RecPushError } from "../../model/failure.ts";
import type { Io } from "../io.ts";
import type { RawOptions } from "../program.ts";
import { textOf } from "../raw-options.ts";
import type { Config, ProfileSection } from "./read-config.ts";

/** The profile in use, with its name. */
export interface ChosenProfile {
  readonly name: string;
  readonly section: ProfileSection;
}

/**
 * The profile that `--profile` names, else the default one, else the only one. One that nobody named is left aside
 * where the URL is another: its token must not go there. Throws usage.
 */
export function chooseProfile(
  config: Config,
  line: RawOptions,
  env: Io["env"],
  path: string,
): ChosenProfile | undefined {
  const profiles = config.profiles ?? {};
  const names = Object.keys(profiles);
  const asked = textOf(line, "profile");
  if (asked !== undefined && !Object.hasOwn(profiles, asked)) {
    const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
    throw new RecPushError(
      "usage",
      "unknown-profile",
      `--profile ${asked}: no such profile in ${path}; ${known}`,
    );
  }
  const name = asked ?? config.defaultProfile ?? (names.length === 1 ? names[0] : undefined);
  const section = name === undefined ? undefined : profiles[name];
  if (name === undefined || section === undefined) return undefined;
  const { url } = section;
  const fromLine = textOf(line, "url");
  const fromEnv = env["REC_PUSH_URL"] || undefined;
  const other = [fromLine ?? fromEnv].find(
    (address) => address !== undefined && !isSameAddress(address, url),
  );
  if (url === undefined || other === undefined) return { name, section };
  if (asked === undefined) return undefined;
  if (fromLine !== undefined) return { name, section };
  throw new RecPushError(
    "usage",
    "two-targets",
    `--profile ${name} and REC_PUSH_URL name different services`,
    {
      hint: "unset REC_PUSH_URL, or name the service with --url",
    },
  );
}

function isSameAddress(one: string, other: string | undefined): boolean {
  const plain = (text: string): string =>
    text
      .trim()
      .replace(/(?<!\/)\/+$/, "")
      .toLowerCase();
  return other !== undefined && plain(one) === plain(other);
}
