/** Counts the waits for places and starts, and how long they take. */
import type { RuleBook } from "../../core/limits/rule-book.ts";
import type { Engine } from "../engine.ts";

/** The most rules with a value of their own; the others share one, so that metrics do not grow with the rules. */
const RULES_SHOWN_MAX = 20;
const OTHERS = "others";

/** Counts one that begins to wait. CloudWatch takes a monthly price for each rule, so there all share one value. */
export function countWait({ meter }: Pick<Engine, "meter">, book: RuleBook, pool: string): void {
  meter.count("limit_waits_total", meter.isPriced ? {} : { rule: ruleLabel(book, pool) });
}

/** @param sinceMs since when the invocation could have run */
export function observeWait({ meter, clock }: Pick<Engine, "meter" | "clock">, sinceMs: number): void {
  meter.observe("limit_wait_seconds", Math.max(0, clock.nowMs() - sinceMs) / 1_000);
}

/** @returns the pattern, if the rule has a value of its own */
export function ruleLabel(book: RuleBook, pool: string): string {
  const rule = book.ruleOf(pool);
  const at = rule === undefined ? -1 : book.rules.indexOf(rule);
  return at < 0 || at >= RULES_SHOWN_MAX ? OTHERS : rule!.pattern;
}
