import type { OptionValues } from "../options/table.ts";
import { createTarget } from "../send/target.ts";

/** Never used, because nothing is sent there. */
const NO_TOKEN = "none";

/** The addresses that a table had under the former base URLs of its service (`--same-as`). Throws a usage error. */
export function formerUrlsOf({ sameAs = [] }: OptionValues, table: string): readonly string[] {
  return sameAs.map((url) => {
    const { origin, path } = createTarget({ url, table, token: NO_TOKEN, allowHttp: true });
    return origin + path;
  });
}
