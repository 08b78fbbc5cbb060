/** The pools that there are, and what a change of rules does to them at once. */
import { ruleBook } from "../../core/limits/rule-book.ts";
import type { Rule } from "../../core/limits/rule.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { poolsPk } from "../store/pool-items.ts";
import { serve } from "./give-back.ts";
import { enterInAnyCase, placesOf } from "./pools.ts";
import { releaseStarts, serveStarts } from "./starts.ts";

/** The most pools that one change of rules serves at once; the give-backs of the others serve them. */
const POOLS_MAX = 1_000;
/** Each round serves some dozens. */
const ROUNDS_MAX = 64;

/** The names of pools that have been used in the last weeks. The index may lag. @param most the bound of the answer */
export async function poolNames(
  { table, settings }: Pick<Engine, "table" | "settings">,
  most: number,
): Promise<string[]> {
  const names: string[] = [];
  let after: string | undefined;
  do {
    const page = await table.queryIndex("list", poolsPk(settings.keyPrefix), {
      limit: most - names.length,
      ...(after !== undefined && { after }),
    });
    for (const { listSk } of page.items) names.push(String(listSk));
    after = page.next;
  } while (after !== undefined && names.length < most);
  return [...new Set(names)];
}

/**
 * After a change of rules: counts what runs in this process already, and lets those go on that a raised or removed limit held back.
 * @param changed the rules that were made, changed or removed
 */
export async function followRules(engine: Engine, changed: readonly Rule[]): Promise<void> {
  for (const active of engine.activeInvocations.all()) if (runs(active)) await enterInAnyCase(engine, active);
  const concerned = ruleBook(changed.map((rule) => ({ ...rule, disabled: false })));
  const book = await engine.registry.rules();
  for (const pool of await poolNames(engine, POOLS_MAX)) {
    if (concerned.ruleOf(pool) === undefined) continue;
    const rate = book.ruleOf(pool)?.limits.rate;
    if (rate === undefined) await releaseStarts(engine, pool);
    else await serveStarts(engine, pool, rate);
    for (let round = 0; round < ROUNDS_MAX; round++) if (!(await serve(engine, pool, placesOf(book, pool)))) break;
  }
}

function runs({ places, lease }: ActiveInvocation): boolean {
  return places.stretch !== undefined && !lease.isLost;
}
