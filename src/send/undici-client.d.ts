// undici's main module loads everything it has, fetch and WebSocket included; of what is used here there are files.
declare module "undici/lib/dispatcher/client.js" {
  import type { Client } from "undici";
  const client: typeof Client;
  export = client;
}

declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici";
  export default buildConnector;
}
