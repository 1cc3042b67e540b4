import { parseHeader } from "../../send/request-headers.ts";
import { RecPushError } from "../../model/failure.ts";
import type { ObjectShape, Shape } from "./shape.ts";
import { TABLE_KEYS } from "./table-keys.ts";

const TOKEN_PLACE =
  'a token never stands in the config: put it into a file that "tokenFile" names, or into an environment variable that "tokenEnv" names';

/** What a config says of one service. */
const PROFILE_KEYS: Readonly<Record<string, Shape>> = {
  url: { kind: "text", about: "base URL of the service" },
  tokenFile: { kind: "text", about: "file that holds the access token, relative to the config" },
  tokenEnv: { kind: "text", about: "name of the environment variable that holds the access token" },
  dbVersion: { kind: "text", about: "database version the service asks for" },
  dbVersionIn: { kind: "text", about: "header:NAME, query:NAME or body:NAME" },
  auth: { kind: "text", about: "how the token is sent", values: ["both", "access_token", "bearer"] },
  body: { kind: "text", about: 'a bare array of records, or {"data": [...]}', values: ["array", "data"] },
  headers: {
    kind: "map",
    about: "HTTP headers to add",
    of: { kind: "text", about: "the header's value" },
    check: checkHeader,
  },
  query: { kind: "map", about: "query parameters to add", of: { kind: "text", about: "the value" } },
};

/** The whole config: the one source of its keys. */
export const CONFIG_SHAPE: ObjectShape = {
  kind: "object",
  about: "How rec-push reads files and where it pushes them",
  keys: {
    $schema: { kind: "text", about: "the JSON Schema of this file, for editors" },
    profiles: {
      kind: "map",
      about:
        "services, by the name that --profile gives; only in your own config, or one that --config or REC_PUSH_CONFIG names",
      of: {
        kind: "object",
        about: "one service",
        keys: PROFILE_KEYS,
        refused: { token: TOKEN_PLACE, accessToken: TOKEN_PLACE, access_token: TOKEN_PLACE },
      },
    },
    defaultProfile: { kind: "text", about: "the profile to use without --profile" },
    tables: {
      kind: "map",
      about: "how the files of each table are read, by the name that --table gives",
      of: {
        kind: "object",
        about: "the files of one table",
        keys: TABLE_KEYS,
        refused: { token: TOKEN_PLACE },
      },
    },
  },
  refused: { token: TOKEN_PLACE },
};

function checkHeader(name: string, value: unknown): void {
  const header = parseHeader(`${name}:${String(value)}`);
  if (header.name !== "authorization" && header.name !== "access_token") return;
  throw new RecPushError("usage", "token-in-config", TOKEN_PLACE);
}
