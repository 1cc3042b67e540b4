import { expect, it } from "vitest";
import { RowShapes, type ShapeNode } from "../../../src/read/json/row-shapes.ts";
import type { PlacedValue } from "../../../src/read/json/member-piece.ts";
import { read } from "./json-support.ts";

/** A record with these names, and 1 as each value; `columns` are those of the names. */
function rowOf(names: readonly string[], columns = names.map((_, at) => at)) {
  let text = "{";
  const values: PlacedValue[] = [];
  for (const [at, name] of names.entries()) {
    text += `${at === 0 ? "" : ","}"${name}":`;
    values.push({ column: columns[at]!, start: text.length, end: text.length + 1, isWhole: true });
    text += "1";
  }
  return { bytes: Buffer.from(`${text}}`), values };
}

const all = (count: number) => ({ count, isOwn: () => true });

function countNodes({ branches }: ShapeNode): number {
  return branches.reduce((sum, { next }) => sum + 1 + countNodes(next), 0);
}

it("keep a shape once, and forget it", () => {
  const shapes = new RowShapes();
  for (const names of [["a", "b"], ["a", "b"], ["a"]]) shapes.learn(rowOf(names), all(2));
  const [branch] = shapes.root.branches;
  expect(countNodes(shapes.root)).toBe(2);
  expect(branch?.next.ends).toMatchObject([{ absent: [1], own: 1 }]);
  expect(branch?.next.branches[0]?.next.ends).toMatchObject([{ absent: [], own: 2 }]);
  shapes.forget();
  expect(shapes.root.branches).toEqual([]);
});

it("keep no more than 32 pieces that may follow a value", () => {
  const shapes = new RowShapes();
  for (let at = 0; at < 40; at++) shapes.learn(rowOf(["a", `name${at}`], [0, 1]), all(2));
  expect(shapes.root.branches[0]?.next.branches).toHaveLength(32);
});

it("keep no more than 2,000 pieces, and no more than 1 MiB of them", () => {
  const many = new RowShapes();
  for (let at = 0; at < 200; at++) {
    const names = Array.from({ length: 30 }, (_, column) => `n${(at >> column) & 1}_${column}`);
    many.learn(rowOf(names), all(30));
  }
  expect(countNodes(many.root)).toBeGreaterThan(1500);
  expect(countNodes(many.root)).toBeLessThanOrEqual(2000);
  const long = new RowShapes();
  for (let at = 0; at < 30; at++) long.learn(rowOf([`${at}${"n".repeat(100_000)}`], [0]), all(1));
  expect(long.root.branches).toHaveLength(10);
});

it("learn nothing from a record that lacks most of many columns", () => {
  const shapes = new RowShapes();
  shapes.learn(rowOf(["a"]), all(67));
  expect(shapes.root.branches).toEqual([]);
  shapes.learn(rowOf(["a"]), all(66));
  expect(shapes.root.branches).toHaveLength(1);
});

it("are looked for again, now and then, where rows were not alike for long", async () => {
  const odd = Array.from({ length: 40 }, (_, at) => `{"cle":"K${at}","n${at}":1}`);
  const alike = Array.from({ length: 60 }, (_, at) => `{"cle":"L${at}","n1":1}`);
  const { rows } = await read(`[${[...odd, ...alike].join(",")}]`);
  const found = rows.map(({ spans }) => spans !== undefined);
  expect(found.slice(0, 40)).not.toContain(true);
  expect(found.slice(-30)).not.toContain(false);
});
