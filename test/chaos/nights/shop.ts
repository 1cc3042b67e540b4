import type { Draw } from "../random.ts";

/** An order's cells, in the service's formats. */
export interface Cells {
  readonly num_commande: string;
  readonly date_billed: string;
  readonly actual_billable_amount: string;
  readonly client: string;
}

/** A true order. */
export interface Order {
  readonly id: number;
  readonly day: number;
  cells: Cells;
  isCorrected: boolean;
}

/** An order as it is written in a file. */
export interface Row {
  readonly order: Order;
  readonly cells: Cells;
}

/** How a shop's orders arise. */
export interface ShopHabits {
  /** True if its files hold the numbers of orders. */
  readonly hasNumbers: boolean;
  /** True if cells are corrected later. */
  readonly corrects: boolean;
  /** True if two orders may be equal in every cell of a file. */
  readonly hasTwins: boolean;
  readonly firstOrders: number;
  /** The most new orders in a day. */
  readonly mostNew: number;
}

const CLIENTS = [
  "Durand",
  "Éluard",
  "Zoé & fils",
  "Müller",
  "Nuñez",
  "Façonnable",
  "Bœuf",
  "Marché, Paris",
  "L'Haÿ",
  "Max",
];
const CENTS = ["00", "50", "25", "99", "10"];

/** A shop that gets new orders, and corrects old ones, day by day. */
export class Shop {
  readonly orders: Order[] = [];
  readonly habits: ShopHabits;
  readonly #draw: Draw;
  #nextNumber: number;

  constructor(habits: ShopHabits, draw: Draw) {
    this.habits = habits;
    this.#draw = draw;
    this.#nextNumber = draw.between(1_000, 500_000);
  }

  /** Adds the new orders and corrections of a day. */
  live(day: number): void {
    const { firstOrders, mostNew, corrects } = this.habits;
    const count = day === 1 ? firstOrders : this.#draw.between(0, mostNew);
    for (let made = 0; made < count; made++) this.#order(day);
    if (corrects && day > 1 && this.#draw.percent(30)) this.#correct(day);
  }

  #order(day: number): void {
    const draw = this.#draw;
    const recent = this.orders.slice(-30).filter(({ isCorrected }) => !isCorrected);
    const isTwin = this.habits.hasTwins && recent.length > 0 && draw.percent(25);
    const cells = isTwin ? draw.oneOf(recent).cells : this.#newCells(day);
    this.orders.push({
      id: this.orders.length,
      day,
      cells: { ...cells, num_commande: String(this.#nextNumber) },
      isCorrected: false,
    });
    this.#nextNumber += draw.oneOf([1, 1, 1, 3]);
  }

  #newCells(day: number): Omit<Cells, "num_commande"> {
    const draw = this.#draw;
    const month = String(1 + (Math.floor(day / 27) % 12)).padStart(2, "0");
    return {
      date_billed: `2016-${month}-${String(1 + (day % 27)).padStart(2, "0")}`,
      actual_billable_amount: `${draw.between(1, 900)}.${draw.oneOf(CENTS)}`,
      client: draw.oneOf(CLIENTS),
    };
  }

  #correct(day: number): void {
    const draw = this.#draw;
    for (let left = draw.oneOf([1, 1, 2]); left > 0; left--) {
      const order = draw.oneOf(this.orders);
      if (order.day === day || order.isCorrected) continue;
      order.isCorrected = true;
      order.cells = draw.percent(50)
        ? { ...order.cells, actual_billable_amount: `${draw.between(1_000, 9_999)}.50` }
        : { ...order.cells, client: `Corrigé ${draw.between(1, 1_000_000)}` };
    }
  }
}
