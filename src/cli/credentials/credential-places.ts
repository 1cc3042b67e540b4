import { given } from "../../options/declaration.ts";

/** The options that say where a secret is. Their environment variables come between option and config. */
const NAMES = ["tokenFile", "tokenCommand", "clientSecretFile", "clientSecretCommand"] as const;

/** Where the secrets of a profile, or of a resumed run, are. */
export type CredentialPlaces = {
  readonly [Name in (typeof NAMES)[number]]?: string;
} & {
  /** The profile and its config, or the run, for messages. */
  readonly from?: string;
  /** Called with a warning about a secret that can be used nevertheless. */
  readonly notice?: (text: string) => void;
};

/** Separates the places of secrets from other options. */
export function splitCredentials<Options extends object>(
  options: Options,
): {
  readonly places: Omit<CredentialPlaces, "from" | "notice">;
  readonly others: Omit<Options, (typeof NAMES)[number]>;
} {
  const entries = Object.entries(options);
  const isPlace = ([name]: [string, unknown]): boolean => (NAMES as readonly string[]).includes(name);
  return {
    places: given(Object.fromEntries(entries.filter(isPlace))),
    others: Object.fromEntries(entries.filter((entry) => !isPlace(entry))) as Options,
  };
}
