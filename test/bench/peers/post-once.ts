// The smallest program that posts a file's rows once with undici.
import { request } from "undici";

const [url = "", records = "[]"] = process.argv.slice(2);
const { statusCode, body } = await request(`${url}/api/items/commandes/`, {
  method: "POST",
  headers: { "content-type": "application/json", access_token: "bench" },
  body: records,
});
await body.json();
if (statusCode !== 200) throw new Error(String(statusCode));
