/** Failures of a step: which are retried, how long, and what follows. */
import * as restate from "@restatedev/restate-sdk";

export interface Order {
  readonly id: string;
  readonly card: string;
}

/** The other system; a test replaces it. */
export const bank = { charge: (order: Order): Promise<string> => Promise.resolve(`receipt of ${order.id}`) };

export const payments = restate.service({
  name: "payments",
  handlers: {
    charge: async (ctx: restate.Context, order: Order): Promise<string> => {
      try {
        return await ctx.run("charge the card", () => bank.charge(order), {
          maxRetryAttempts: 5,
          initialRetryInterval: { milliseconds: 100 },
          retryIntervalFactor: 2,
          maxRetryInterval: { seconds: 10 },
        });
      } catch (error) {
        // The budget of the step is used up, or the step threw a TerminalError. Any other error ends this attempt, and is retried.
        if (!(error instanceof restate.TerminalError)) throw error;
        return `not charged: ${error.message}`;
      }
    },
  },
});

export const shipping = restate.service({
  name: "shipping",
  options: {
    retryPolicy: { maxAttempts: 3, onMaxAttempts: "pause", initialInterval: { milliseconds: 50 } },
  },
  handlers: {
    ship: async (ctx: restate.Context, order: Order): Promise<string> => ctx.run("ship", () => bank.charge(order)),
  },
});

/** A status of another system, as the kind of failure that fits it. */
export function failureOf(status: number, retryAfterS: number): Error {
  if (status === 402) return new restate.TerminalError("The card is declined", { errorCode: 402 });
  if (status === 429) return new restate.RetryableError("Too many requests", { retryAfter: { seconds: retryAfterS } });
  return new Error(`The bank answered ${status}`);
}
