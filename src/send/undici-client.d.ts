// undici's main module loads everything it has, fetch and WebSocket included; of its one class used here there is a file.
declare module "undici/lib/dispatcher/client.js" {
  import type { Client } from "undici";
  const client: typeof Client;
  export = client;
}
