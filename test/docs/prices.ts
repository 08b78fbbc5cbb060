/** The prices of the cost page, and the assumptions for amounts that no test counts. */
import prices from "../../docs/prices.json" with { type: "json" };

export const PRICES = prices.prices;
export const ASSUMED = prices.assumed;
export const { region: REGION, compiledOn: COMPILED_ON } = prices;

export type PriceName = keyof typeof PRICES;

/** @returns dollars for `count` units of the price */
export function dollars(name: PriceName, count: number): number {
  const { usd, per } = PRICES[name];
  return (count * usd) / per;
}
