/** The only outside effect of the scenarios' handlers: each executed closure writes a token into the ledger. */
import "../../../examples/polyfill.mjs";
import type { Context, RestatePromise } from "@restatedev/restate-sdk/lambda";
import { Ledger } from "./ledger.ts";

/** How often the closure of the step `stumble` fails before it succeeds. */
export const STUMBLES = 2;
/** The same for the step `reel`: its retries together take longer than half a lease. */
export const REELS = 18;
const FAILURES: Readonly<Record<string, number>> = { stumble: STUMBLES, reel: REELS };

/** All runs call the same handlers, so each run sets its own ledger here. */
const current = { ledger: new Ledger() };

export function writeInto(ledger: Ledger): void {
  current.ledger = ledger;
}

/** @returns the token of the execution that counts */
export function step(ctx: Context, name: string): RestatePromise<string> {
  const invocationId = ctx.request().id;
  return ctx.run(name, () => {
    const { token, count } = current.ledger.execute(invocationId, name);
    if (count <= (FAILURES[name] ?? 0)) throw new Error(`failed ${count} times`);
    return token;
  });
}

/** Retries after a fixed delay in milliseconds. */
export const retrying = (initialInterval: number) => ({
  retryPolicy: { initialInterval, maxInterval: initialInterval, exponentiationFactor: 1 },
});
