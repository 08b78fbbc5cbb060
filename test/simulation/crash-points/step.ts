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
const current = { ledger: new Ledger(), rest: async (_ms: number): Promise<unknown> => undefined };

/** @param rest lets virtual time pass while a closure waits */
export function writeInto(ledger: Ledger, rest: (ms: number) => Promise<unknown>): void {
  Object.assign(current, { ledger, rest });
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

/** A step whose closure takes time: the attempt runs meanwhile. */
export function longStep(ctx: Context, name: string, ms: number): RestatePromise<string> {
  const invocationId = ctx.request().id;
  return ctx.run(name, async () => {
    const { token } = current.ledger.execute(invocationId, name);
    await current.rest(ms);
    return token;
  });
}

/** Retries after a fixed delay in milliseconds. */
export const retrying = (initialInterval: number) => ({
  retryPolicy: { initialInterval, maxInterval: initialInterval, exponentiationFactor: 1 },
});
