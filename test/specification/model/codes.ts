/** The versions of code that the deployments of a history may have. */
import type { Code, ServiceOffer } from "./catalogue.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const GREETER: ServiceOffer = {
  handlers: { greet: "service" },
  type: "service",
  idempotencyMs: 2 * DAY_MS,
  journalMs: 6 * HOUR_MS,
  workflowMs: 0,
};
const ACCOUNT: ServiceOffer = {
  handlers: { move: "exclusive", look: "shared" },
  type: "object",
  idempotencyMs: 5 * HOUR_MS,
  journalMs: DAY_MS,
  workflowMs: 0,
};
const ORDER: ServiceOffer = {
  handlers: { run: "workflow", talk: "shared" },
  type: "workflow",
  idempotencyMs: 12 * HOUR_MS,
  journalMs: DAY_MS,
  workflowMs: 3 * DAY_MS,
};

export const CODES: Readonly<Record<string, Code | undefined>> = {
  first: { Greeter: GREETER, Account: ACCOUNT, Order: ORDER },
  /** Keeps results for other times. */
  second: {
    Greeter: { ...GREETER, idempotencyMs: 7 * HOUR_MS, journalMs: 2 * DAY_MS },
    Account: { ...ACCOUNT, idempotencyMs: 3 * DAY_MS },
    Order: { ...ORDER, workflowMs: 9 * HOUR_MS },
  },
  /** Lacks a handler. */
  narrow: { Greeter: GREETER, Account: { ...ACCOUNT, handlers: { move: "exclusive" } }, Order: ORDER },
  /** Lacks services. */
  greeter: { Greeter: GREETER },
  /** A service with this name cannot be registered. */
  reserved: { Greeter: GREETER, restateful: GREETER },
  /** Nothing answers the discovery. */
  silent: undefined,
};
