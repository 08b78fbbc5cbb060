/** The one thing that handlers of the scenarios do outside: a closure that runs writes itself down in the ledger. */
import "../../../examples/polyfill.mjs";
import type { Context, RestatePromise } from "@restatedev/restate-sdk/lambda";
import { Ledger } from "./ledger.ts";

/** How often the closure of the step `stumble` fails before it works. */
export const STUMBLES = 2;

/** The endpoint is made once; the ledger is the one of the run that is under way. */
const current = { ledger: new Ledger() };

export function writeInto(ledger: Ledger): void {
  current.ledger = ledger;
}

/** @returns the token of the execution that counts */
export function step(ctx: Context, name: string): RestatePromise<string> {
  const invocationId = ctx.request().id;
  return ctx.run(name, () => {
    const { token, count } = current.ledger.execute(invocationId, name);
    if (name === "stumble" && count <= STUMBLES) throw new Error(`stumbled ${count} times`);
    return token;
  });
}

/** Tries again after so many milliseconds, each time. */
export const retrying = (initialInterval: number) => ({
  retryPolicy: { initialInterval, maxInterval: initialInterval, exponentiationFactor: 1 },
});
