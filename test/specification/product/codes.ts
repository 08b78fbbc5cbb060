/** The versions of code that the deployments of a history may have. */
import type { Code, ServiceOffer } from "../model/catalogue.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const GREETER: ServiceOffer = {
  type: "service",
  handlers: { greet: "service" },
  idempotencyMs: 2 * DAY_MS,
  journalMs: 6 * HOUR_MS,
  workflowMs: 0,
};
const ACCOUNT: ServiceOffer = {
  type: "object",
  handlers: { move: "exclusive", look: "shared" },
  idempotencyMs: 5 * HOUR_MS,
  journalMs: DAY_MS,
  workflowMs: 0,
};
const ORDER: ServiceOffer = {
  type: "workflow",
  handlers: { run: "workflow", talk: "shared" },
  idempotencyMs: 12 * HOUR_MS,
  journalMs: DAY_MS,
  workflowMs: 3 * DAY_MS,
};

export const CODES: Readonly<Record<string, Code>> = {
  first: { Greeter: GREETER, Account: ACCOUNT, Order: ORDER },
};
