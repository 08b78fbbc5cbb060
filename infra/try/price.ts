/**
 * Estimates the cost of a run from the work of its checks, the cost of each shape of call in docs/costs.json, and the
 * prices in docs/prices.json.
 */
import costs from "../../docs/costs.json" with { type: "json" };
import priceList from "../../docs/prices.json" with { type: "json" };

export type Shape = keyof typeof costs.million;

/** The work of one check. */
export interface Work {
  /** Shapes of docs/costs.md, each with its number of repetitions. */
  readonly shapes: readonly (readonly [shape: Shape, times: number])[];
  /** The number of requests that change nothing. */
  readonly questions: number;
}

export interface Price {
  /** The cost of one hour that includes all checks. */
  readonly runUsd: number;
  /** The cost of each further day that the stack is kept. */
  readonly dayUsd: number;
  /** The cost in readable form. */
  readonly lines: readonly string[];
}

const MILLION = 1_000_000;
const HOURS_PER_DAY = 24;
const CENT_USD = 0.01;
/** Assumed amounts: seconds and memory of a call of the handlers' own function, and the code that the CDK stores. */
const HANDLER_SECONDS = 0.5;
const HANDLER_GB = 0.25;
const CODE_GB = 0.02;

export function priceOf(works: readonly Work[]): Price {
  const checksUsd = works.reduce((sum, work) => sum + workUsd(work), 0);
  const hourUsd = costs.quietHour + codeUsd(1);
  const runUsd = checksUsd + hourUsd + costs.workingMetricsHour;
  const dayUsd = HOURS_PER_DAY * hourUsd;
  return { runUsd, dayUsd, lines: linesOf(runUsd, dayUsd) };
}

function workUsd({ shapes, questions }: Work): number {
  const handlerUsd = dollars("functionCall", 1) + dollars("functionGbSecond", HANDLER_SECONDS * HANDLER_GB);
  const submitted = shapes.map(([shape, times]) => times * (costs.million[shape] / MILLION + 2 * handlerUsd));
  return submitted.reduce((sum, usd) => sum + usd, 0) + questions * questionUsd();
}

/** A request that changes nothing costs at most as much as a call without steps, which reads and writes. */
function questionUsd(): number {
  return costs.million["call without steps"] / MILLION;
}

function codeUsd(hours: number): number {
  return (dollars("codeGbMonth", CODE_GB) * hours) / priceList.assumed.monthHours.value;
}

function dollars(name: keyof typeof priceList.prices, count: number): number {
  const { usd, per } = priceList.prices[name];
  return (count * usd) / per;
}

function linesOf(runUsd: number, dayUsd: number): readonly string[] {
  const bound = runUsd < CENT_USD ? "below one cent" : `some ${Math.ceil(runUsd / CENT_USD)} cents`;
  return [
    `${bound}: ${runUsd.toFixed(4)} dollars for an hour of it with every check, ${dayUsd.toFixed(3)} for each day that it is kept;`,
    `at list prices of ${costs.region} as compiled on ${costs.compiledOn}, without free tiers (docs/costs.md)`,
  ];
}
