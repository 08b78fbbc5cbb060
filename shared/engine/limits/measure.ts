/** Measures the rules: how many places are taken, and how many wait. */
import type { RuleBook } from "../../core/limits/rule-book.ts";
import type { Engine } from "../engine.ts";
import type { GaugeValue } from "../ports/log.ts";
import { type PoolView, poolViews } from "./views.ts";
import { ruleLabel } from "./wait-metrics.ts";

/** The most pools that one measurement reads. */
const POOLS_MAX = 200;

/** Sets the gauges of all rules. Costs nothing while memory knows no rule. */
export async function measureLimits(engine: Engine): Promise<void> {
  const book = engine.registry.rulesKnown();
  if (book.isEmpty) return;
  const views = await poolViews(engine, POOLS_MAX);
  engine.meter.gauges("limit_places_taken", sums(engine, book, views, "taken"));
  engine.meter.gauges("limit_waiting", sums(engine, book, views, "waiting"));
}

function sums(
  { meter }: Pick<Engine, "meter">,
  book: RuleBook,
  views: readonly PoolView[],
  name: "taken" | "waiting",
): readonly GaugeValue[] {
  const byRule = new Map<string, number>();
  for (const view of views) {
    const rule = meter.isPriced ? "" : ruleLabel(book, view.pool);
    byRule.set(rule, (byRule.get(rule) ?? 0) + view[name]);
  }
  return [...byRule].map(([rule, value]) => ({ value, labels: rule === "" ? {} : { rule } }));
}
