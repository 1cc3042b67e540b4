import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Counters, newCounters } from "../counters.ts";
import { createDraw, type Draw } from "../random.ts";
import { drawStyle, PLAIN, writeExport } from "./export-file.ts";
import { createLife, type Life, type NightFile } from "./life.ts";
import { NightService } from "./night-service.ts";
import { pushNight } from "./push-night.ts";
import { type Row, Shop } from "./shop.ts";
import { Truth } from "./truth.ts";

/** The day after a night: people resume or give up runs, and prune. */
async function spendDay(life: Life): Promise<void> {
  if (life.draw.percent(10)) await turnToRuns(life);
  if (!life.draw.percent(12)) return;
  const { code, stderr } = await life.sideCommand(["runs", "prune"]);
  if (code !== 0) life.find("stuck", `runs prune ended with ${code}: ${stderr.slice(-400)}`);
}

/** The states of runs that may go on, and of what cannot be read. */
const OPEN: ReadonlySet<string> = new Set(["unfinished", "unsettled", "damaged"]);

/** Somebody resumes or gives up runs that are still open. */
async function turnToRuns(life: Life): Promise<void> {
  life.service.calm();
  const { events } = await life.command(["runs", "--json"]);
  for (const event of events) {
    if (event["event"] !== "run" || !OPEN.has(String(event["state"]))) continue;
    const run = String(event["run"]);
    const isGivenUp = life.draw.percent(30);
    const end = await life.command(isGivenUp ? ["runs", "abandon", run] : ["resume", run, "--json"]);
    // Its file may have been overwritten since, or a later run may have touched its keys.
    if (![0, 2, 3, 4, 8].includes(end.code ?? -1))
      life.find(
        "stuck",
        `${isGivenUp ? "abandon" : "resume"} ended with ${end.code}: ${end.stderr.slice(-400)}`,
      );
  }
  life.truth.judge([]);
}

/** What the user says about the files, and what they are. */
type Policy = "identity" | "record" | "delta" | "unsaid";
type Nature = "full" | "rolling" | "delta";

const SAID: Readonly<Record<Policy, readonly string[]>> = {
  identity: ["--exports", "full", "--identify-by", "num_commande"],
  record: ["--exports", "full"],
  delta: ["--exports", "delta"],
  unsaid: [],
};

/** A shop that exports every night, and what the service holds of it. */
class ShopLife {
  readonly #draw: Draw;
  readonly #shop: Shop;
  readonly #life: Life;
  readonly #nature: Nature;
  readonly #hasOneName: boolean;
  readonly #window: number;
  /** For delta files: the number of orders in files that were pushed completely. */
  #exported = 0;

  private constructor(seed: number, directory: string, service: NightService, counters: Counters) {
    const draw = createDraw(seed);
    const policy = draw.oneOf<Policy>(["identity", "identity", "record", "delta", "unsaid", "unsaid"]);
    const nature =
      policy === "delta"
        ? "delta"
        : draw.oneOf<Nature>(["full", "full", "rolling", policy === "unsaid" ? "delta" : "full"]);
    const hasNumbers = policy === "identity" || draw.percent(55);
    // With these two only the whole record tells rows apart: a corrected row is another record.
    const byNumber = hasNumbers && policy !== "record" && policy !== "delta";
    this.#draw = draw;
    this.#nature = nature;
    this.#shop = new Shop(
      {
        hasNumbers,
        corrects: draw.percent(70),
        hasTwins: !hasNumbers && draw.percent(60),
        firstOrders: draw.oneOf([draw.between(20, 60), draw.between(20, 60), draw.between(200, 400)]),
        mostNew: draw.oneOf([3, 12, 12, 40]),
      },
      draw,
    );
    this.#hasOneName = draw.percent(50);
    this.#window = draw.between(3, 8);
    const truth = new Truth({ byNumber, hasNumbers }, service.held);
    const given = { draw, directory, service, truth, counters };
    this.#life = createLife({ ...given, isDelta: nature === "delta", hasNumbers });
    this.#life.said = SAID[policy];
    const { corrects, hasTwins } = this.#shop.habits;
    this.#life.say(`seed ${seed}: ${JSON.stringify({ policy, nature, hasNumbers, corrects, hasTwins })}`);
  }

  /** Lives a number of nights. A life in which something is found keeps its folder. */
  static async live(seed: number, nights: number, counters: Counters): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), "rec-push-nights-"));
    const service = await new NightService().open();
    try {
      const shop = new ShopLife(seed, directory, service, counters);
      for (let night = 0; night < nights; night++) await shop.#night();
    } catch (cause) {
      throw new Error(`night ${counters.nights}, see ${directory}/log.txt`, { cause });
    } finally {
      await service.close();
    }
    await rm(directory, { recursive: true, force: true });
  }

  async #night(): Promise<void> {
    const life = this.#life;
    life.day += 1;
    this.#shop.live(life.day);
    life.counters.nights += 1;
    const files = await this.#export();
    if (files.length === 0) return;
    const isDone = await pushNight(life, files);
    if (isDone && this.#nature === "delta") this.#exported = this.#shop.orders.length;
    life.before.push(...files);
    await spendDay(life);
  }

  async #export(): Promise<readonly NightFile[]> {
    const life = this.#life;
    const style = this.#draw.percent(50) ? drawStyle(this.#draw) : PLAIN;
    const lists = this.#drawRows();
    const files: NightFile[] = [];
    for (const [at, rows] of lists.entries()) {
      const night = this.#hasOneName ? "" : `-${String(life.day).padStart(3, "0")}`;
      const name = `orders${at === 0 ? "" : at}${night}.${style.format}`;
      const cells = rows.map((row) => row.cells);
      const { bytes, lines, options } = writeExport(cells, this.#shop.habits.hasNumbers, style);
      await mkdir(life.directory, { recursive: true });
      await writeFile(join(life.directory, name), bytes);
      for (const row of rows) life.truth.show(row);
      files.push({ day: life.day, name, kept: await life.keep(name), rows, lines, options });
    }
    const sizes = lists.map(({ length }) => length).join(" + ");
    life.say(
      `\n===== night ${life.day}: ${sizes} rows, said "${life.said.join(" ")}", ${JSON.stringify(style)}`,
    );
    return files;
  }

  /** The rows of tonight's files: all, those of the last days, or the new ones; sometimes cut, sorted anew or in two files. */
  #drawRows(): readonly (readonly Row[])[] {
    const draw = this.#draw;
    const { day } = this.#life;
    const asRow = (order: Row["order"]): Row => ({ order, cells: order.cells });
    let rows = this.#shop.orders
      .filter((order) =>
        this.#nature === "full"
          ? true
          : this.#nature === "rolling"
            ? order.day > day - this.#window
            : order.id >= this.#exported,
      )
      .map(asRow);
    if (this.#nature !== "delta" && day > 1 && rows.length > 5 && draw.percent(7))
      rows = rows.slice(0, draw.between(2, rows.length - 1));
    const order = draw.oneOf(["", "", "", "", "reversed", "by client"]);
    if (order === "reversed") rows = rows.toReversed();
    if (order === "by client")
      rows = rows.toSorted((one, other) => (one.cells.client < other.cells.client ? -1 : 1));
    const isSaid = this.#life.said.length > 0 && this.#nature !== "delta";
    if (rows.length > 1 && draw.percent(7)) {
      const at = draw.between(1, rows.length - 1);
      return [rows.slice(0, at), rows.slice(at)];
    }
    if (isSaid && rows.length > 0 && draw.percent(3)) return [rows, rows];
    return rows.length === 0 ? [] : [rows];
  }
}

/** Lives shops one after the other until the number of nights is reached, from the `first` one of a seed on. */
export async function liveNights(nights: number, seed: number, first = 1): Promise<Counters> {
  const counters = newCounters();
  for (let life = first; counters.nights < nights; life++) {
    const own = seed * 100_003 + life * 2;
    const length = Math.min(createDraw(own + 1).between(12, 30), nights - counters.nights);
    await ShopLife.live(own, length, counters).catch((cause: unknown) => {
      throw new Error(`shop ${life} of the seed ${seed}`, { cause });
    });
  }
  return counters;
}
