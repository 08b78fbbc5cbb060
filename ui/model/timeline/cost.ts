/** The least cost of an invocation on AWS at list prices, computed from its use so far. */
import type { UsageBody } from "../../../shared/api/contract/invocations.ts";
import type { ExchangePart } from "./exchanges.ts";
import { countText, sizeText } from "../size-text.ts";
import { durationText } from "../time-text.ts";

/** The prices that the cost needs, in dollars for one unit, call or GB-second; docs/prices.json names their sources. */
export interface ListPrices {
  readonly region: string;
  readonly compiledOn: string;
  readonly writeUnitUsd: number;
  readonly functionCallUsd: number;
  readonly functionGbSecondUsd: number;
}

export interface CostLine {
  readonly what: string;
  readonly amount: string;
  readonly usd: number;
}

/** Functions of the stack have 512 MB unless the operator chose another size. */
const FUNCTION_GB = 0.5;
const SECOND_MS = 1_000;
/** From this amount on, the text has no cents. */
const WHOLE_FROM_USD = 100;

/** The waits of a handler on open exchanges, which on AWS end the exchange (`worker.invoker.open-wait` is 0 there by default). */
export interface OpenWaits {
  /** How many of them the exchange outlived. */
  readonly count: number;
  readonly ms: number;
}

/**
 * A wait at the end of an exchange has ended it on this server, too, so no exchange more follows it.
 * @param parts of the attempts, in order
 */
export function openWaits(parts: readonly ExchangePart[]): OpenWaits {
  let [count, ms] = [0, 0];
  for (const [at, { isWaiting, startMs, endMs }] of parts.entries()) {
    if (!isWaiting) continue;
    ms += endMs - startMs;
    if (parts[at + 1]?.startMs === endMs) count++;
  }
  return { count, ms };
}

/**
 * The lines have only the use that the stored items prove. Reads, messages, requests and logs come on top.
 * @param waits those that AWS would not have paid for, if another server measured the use; each would end its exchange, and the next
 *   exchange would go on after it
 */
export function costLines(
  usage: UsageBody,
  prices: ListPrices,
  waits: OpenWaits = { count: 0, ms: 0 },
): readonly CostLine[] {
  const units = usage.write_units;
  const exchanges = usage.exchanges + waits.count;
  const ms = Math.max(0, usage.exchange_ms - waits.ms);
  return [
    { what: "Write units", amount: countText(units), usd: units * prices.writeUnitUsd },
    { what: "Exchanges with deployments", amount: countText(exchanges), usd: exchanges * prices.functionCallUsd },
    {
      what: "Time of these exchanges, at 512 MB",
      amount: durationText(ms),
      usd: (ms / SECOND_MS) * FUNCTION_GB * prices.functionGbSecondUsd,
    },
  ];
}

export function storedText({ items, bytes }: UsageBody): string {
  return `${countText(items)} ${items === 1 ? "item" : "items"}, ${sizeText(bytes)}`;
}

/** One invocation costs millionths of a dollar, so the text has two significant digits. */
export function usdText(usd: number): string {
  if (usd === 0) return "$0";
  if (usd >= WHOLE_FROM_USD) return `$${countText(Math.round(usd))}`;
  if (usd >= 0.01) return `$${usd.toFixed(2)}`;
  const digits = Math.min(12, Math.ceil(-Math.log10(usd)) + 1);
  return `$${usd.toFixed(digits)}`;
}

/** The cost of a million such invocations, which is easier to compare with docs/costs.md. */
export function millionText(usd: number): string {
  return usdText(Number((usd * 1_000_000).toPrecision(3)));
}
