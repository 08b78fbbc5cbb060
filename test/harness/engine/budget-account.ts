/** Compares the cost of each shape with its write budget, and formats all costs as a table. */
import { expect } from "vitest";
import type { Played } from "./budget-play.ts";
import type { Cost, Shape } from "./budget-shape.ts";

/** Expects exactly the cost that the shape states: a lower cost fails as well as a higher one. */
export function expectCost(shape: Shape, { onPath, inAll, told }: Played): void {
  const { items, indexes, queue } = shape.measured ?? shape.design;
  const spent = {
    items: inAll.items,
    indexes: inAll.list + inAll.open,
    queue: inAll.queue,
    readsOnPath: onPath.reads,
    readsInAll: inAll.reads,
    transactions: inAll.transactions,
  };
  const { onPath: readsOnPath, inAll: readsInAll } = shape.reads;
  expect(spent, told).toEqual({ items, indexes, queue, readsOnPath, readsInAll, transactions: 0 });
}

export function accountText(rows: readonly { readonly shape: Shape; readonly played: Played }[]): string {
  const lines = rows.map(({ shape, played: { onPath, inAll } }) => [
    shape.name,
    costText(shape.design),
    costText({ items: inAll.items, indexes: inAll.list + inAll.open, queue: inAll.queue }),
    `${inAll.list} + ${inAll.open}`,
    `${onPath.reads} / ${inAll.reads}`,
    `${shape.sum}${shape.measured ? `; ${shape.measured.why}` : ""}`,
  ]);
  const head = ["shape", "design", "measured", "list + open", "reads: path / all", "how it adds up"];
  const widths = head.map((title, at) => Math.max(title.length, ...lines.map((line) => line[at]!.length)));
  const text = (line: readonly string[]): string =>
    line
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join("  ")
      .trimEnd();
  return ["write units: items + indexes, queue requests", text(head), ...lines.map(text)].join("\n");
}

function costText({ items, indexes, queue }: Cost): string {
  return `${items} + ${indexes}, ${queue} q`;
}
