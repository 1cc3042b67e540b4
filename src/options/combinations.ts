import { RecPushError } from "../model/failure.ts";
import type { OptionValues } from "./table.ts";

/** Options that exclude each other, and the error for it. */
interface Combination {
  readonly isMet: (values: OptionValues) => boolean;
  readonly refuse: (values: OptionValues) => RecPushError;
}

const COMBINATIONS: readonly Combination[] = [
  {
    isMet: ({ tokenFile, tokenCommand }) => tokenFile !== undefined && tokenCommand !== undefined,
    refuse: () => contradiction("--token-file and --token-command exclude each other"),
  },
  {
    isMet: ({ clientSecretFile, clientSecretCommand }) =>
      clientSecretFile !== undefined && clientSecretCommand !== undefined,
    refuse: () => contradiction("--client-secret-file and --client-secret-command exclude each other"),
  },
  {
    isMet: ({ key, cert }) => key !== undefined && cert === undefined,
    refuse: () => contradiction("--key is the key of a certificate, and --cert names none"),
  },
  {
    isMet: ({ maxInvalid, onInvalid }) => maxInvalid !== undefined && onInvalid !== "skip",
    refuse: () =>
      new RecPushError(
        "usage",
        "limit-without-skip",
        "--max-invalid is for --on-invalid skip: without it the first invalid row stops the run",
        { hint: "add --on-invalid skip, or leave --max-invalid out" },
      ),
  },
  {
    isMet: ({ exports, identifyBy = [] }) => exports === "full" && identifyBy.length === 0,
    refuse: () =>
      new RecPushError("usage", "missing-identity", "--exports full needs --identify-by", {
        hint: "name the fields that identify records without key, such as --identify-by num_commande;\n--identify-by record takes all of them: then a row in which a cell changes is a new record",
      }),
  },
];

/** Throws a usage error for the first combination of options that makes no sense. */
export function refuseCombinations(values: OptionValues): void {
  const met = COMBINATIONS.find(({ isMet }) => isMet(values));
  if (met !== undefined) throw met.refuse(values);
}

function contradiction(message: string): RecPushError {
  return new RecPushError("usage", "contradicting-options", message);
}
