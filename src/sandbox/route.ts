/** The target of a path. Any base path may precede `/api/`. */
export type Route =
  | { readonly kind: "page" | "faults" | "requests" }
  | { readonly kind: "oauth-token" }
  | { readonly kind: "items"; readonly table: string; readonly isOAuth: boolean }
  | { readonly kind: "item"; readonly table: string; readonly cle: string }
  | { readonly kind: "nowhere"; readonly msg: string };

const longestTableName = 200;

/** Reads the path of a request target (without its query). */
export function routeOf(path: string): Route {
  if (path === "/") return { kind: "page" };
  if (path === "/sandbox/faults") return { kind: "faults" };
  if (path === "/sandbox/requests") return { kind: "requests" };
  if (path.endsWith("/api/oauth2/access_token/")) return { kind: "oauth-token" };
  const isOAuth = /\/api\/oauth2\/items\/[^/]+\/?$/.test(path);
  const items = /^(?:.*)\/api\/(?:oauth2\/)?items\/([^/]+)(\/?)$/.exec(path);
  const item = /^(?:.*)\/api\/item\/([^/]+)\/([^/]+)(\/?)$/.exec(path);
  const found = items ?? item;
  if (found === null) return nowhere("There is nothing at this path; records go to /api/items/TABLE/.");
  const [, first = "", second = "", third = ""] = found;
  if ((items === null ? third : second) === "") {
    return nowhere("There is nothing at this path: the trailing slash is part of it.");
  }
  const table = decoded(first);
  if (table === undefined || table.length > longestTableName) {
    return nowhere(
      `The name of the table cannot be read; it is percent-encoded UTF-8 of at most ${longestTableName} characters.`,
    );
  }
  if (items !== null) return { kind: "items", table, isOAuth };
  const cle = decoded(second);
  return cle === undefined
    ? nowhere("The cle cannot be read; it is percent-encoded UTF-8.")
    : { kind: "item", table, cle };
}

function nowhere(msg: string): Route {
  return { kind: "nowhere", msg };
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
