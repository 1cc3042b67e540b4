import { createDraw, type Draw } from "../chaos/random.ts";
import {
  DECLARED,
  drawOrders,
  fileName,
  leaveOut,
  FORMATS,
  type OrderKind,
  type OrderRow,
  writeOrders,
} from "./orders.ts";
import { drawHabits, followSteps, pushOf } from "./person.ts";
import type { Fate } from "./record-service.ts";
import type { Case, World } from "./world.ts";

/** Nights of a job that goes wrong by a seed, and of the person who follows what is printed. */
export function drawScenarios(seed: number, count: number): Case[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `scenario/${seed + at}`,
    play: (world: World) => playNights(world, createDraw(seed + at)),
  }));
}

async function playNights(world: World, draw: Draw): Promise<void> {
  const habits = drawHabits(draw);
  const format = draw.oneOf(FORMATS);
  const kind = drawKind(draw);
  const options = [...DECLARED, ...drawOptions(draw)];
  const parts = draw.percent(20) ? 2 : 1;
  const first = Array.from({ length: parts }, (_, at) => drawOrders(draw, kind, 100_000 + at * 1_000));
  const files = first.map((rows, at) => {
    const name = fileName(`orders-${"ab"[at]}`, format);
    world.write(name, writeOrders(rows, format));
    return name;
  });
  const argv = pushOf(files, options);
  await followSteps(world, argv, await world.run(argv, drawFates(draw)), habits);
  if (draw.percent(25)) await world.run(argv);
  if (draw.percent(65)) {
    const name = draw.percent(50) ? files[0]! : fileName("orders-next", draw.percent(80) ? format : "ndjson");
    const rows = drawNextNight(draw, first[0]!, kind);
    world.write(name, writeOrders(rows, name.endsWith(".ndjson") ? "ndjson" : format));
    const next = pushOf([name], draw.percent(15) ? [...options, "--query", "annee=2026"] : options);
    await followSteps(world, next, await world.run(next, draw.percent(40) ? drawFates(draw) : []), habits);
  }
  await world.run(["runs", "--json"]);
}

function drawKind(draw: Draw): OrderKind {
  return {
    rows: draw.oneOf([3, 12, 30, 60]),
    creates: draw.oneOf([0, 30, 70, 100, 100]),
    repeats: draw.oneOf([0, 0, 30]),
    bad: draw.oneOf([0, 0, 10]),
    refused: draw.oneOf([0, 0, 0, 8]),
  };
}

function drawOptions(draw: Draw): string[] {
  const sets: readonly (readonly string[])[] = [
    ["--on-invalid", "skip"],
    draw.percent(50) ? ["--exports", "delta"] : ["--exports", "full", "--identify-by", "num_commande"],
    ["--results", "results.csv"],
    ["--atomic-batches"],
    ["--on-repeat", draw.oneOf(["last", "stop"])],
    ["--idempotency-key"],
    ["--safe-status", "503"],
    ["--set", "source=web"],
    ["--only", draw.oneOf(["updates", "creates"])],
    ["--empty", "send"],
    ["--max-failed", "2"],
    ["--run-key", "novembre"],
    ["--query", "annee=2025"],
    ["--decimal", ","],
    ["--drop", "num_invoice"],
  ];
  const chosen = sets.filter((_, at) => draw.percent(at === 0 ? 60 : 10)).flat();
  return [...chosen, "--retries", "1", "--batch-size", String(draw.oneOf([1, 4, 10, 500]))];
}

/** What happens to a command: mostly one thing, at one of its first requests. */
function drawFates(draw: Draw): Fate[] {
  const from = draw.between(1, 4);
  const how = draw.oneOf<Fate["how"]>([
    ...(["kill before", "kill after", "kill after", "kill before"] as const),
    ...(["drop before", "drop after", "drop after"] as const),
    ...(["SIGINT", "SIGTERM"] as const),
    ...[503, 500, 429, 400, 401, 404, 409, 413].map((status) => ({ status })),
    { status: 200, msg: "9 of 10 items updated." },
  ]);
  if (draw.percent(20)) return [];
  const isLong = typeof how !== "string" && how.status !== 429 && draw.percent(50);
  return [{ from, until: isLong ? Infinity : from, how }];
}

/** The export of the next night: grown, and sometimes changed, turned round, cut at its beginning or with another column. */
function drawNextNight(draw: Draw, before: readonly OrderRow[], kind: OrderKind): OrderRow[] {
  let rows = [...before, ...drawOrders(draw, { ...kind, rows: draw.between(0, 20) }, 150_000)];
  if (draw.percent(30)) rows = rows.map((row, at) => (at === 1 ? { ...row, num_invoice: "79999999" } : row));
  if (draw.percent(15)) rows = rows.slice(draw.between(1, 2));
  if (draw.percent(15)) rows.reverse();
  if (draw.percent(15)) rows = rows.map((row) => ({ ...row, date_closed: "14/03/2025" }));
  if (draw.percent(10)) rows = leaveOut("etat", rows);
  return rows;
}
