import { expect, it } from "vitest";
import { type SendSettings, systemClock } from "../../src/send/settings.ts";
import { answer, sleep, startService } from "./support/http-service.ts";
import { openSession, sendAll } from "./support/push.ts";
import { updates } from "./support/records.ts";

// How many of the 32 are reached depends on the load of this machine; the first round always doubles.
it.each<[string, Partial<SendSettings>, number, number]>([
  ["auto", {}, 5, 32],
  ["auto, 6 at most", { concurrency: { most: 6 } }, 6, 6],
  ["auto, 2 at most", { concurrency: { most: 2 } }, 2, 2],
  ["3", { concurrency: 3 }, 3, 3],
])("has as many requests in flight over HTTP as it may: %s", async (_, settings, least, most) => {
  const http = await startService(async (_, response) => {
    await sleep(40);
    answer(response);
  });
  const session = openSession(http.url, { batchSize: 1, ...settings }, systemClock);
  const { settled } = await sendAll(session, updates(40));
  expect(settled).toHaveLength(40);
  expect(http.mostAtOnce()).toBeGreaterThanOrEqual(least);
  expect(http.mostAtOnce()).toBeLessThanOrEqual(most);
});
