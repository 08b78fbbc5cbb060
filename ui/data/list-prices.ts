/** List prices of AWS, which the build takes from docs/prices.json. */
import type { ListPrices } from "../model/timeline/cost.ts";

declare const LIST_PRICES: ListPrices;

export const listPrices: ListPrices = LIST_PRICES;
