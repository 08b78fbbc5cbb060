/** The emulated services for the tests of the adapters. */
import type { Clock } from "../../shared/engine/ports/clock.ts";

export interface ServiceOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** @throws Error if `run.mjs` did not start the tests */
export function serviceOptions(): ServiceOptions {
  const endpoint = process.env["STEPWELL_TEST_AWS_ENDPOINT"];
  if (endpoint === undefined) throw new Error("run these tests through test/aws/run.mjs");
  return { endpoint, region: "us-east-1", credentials: { accessKeyId: "test", secretAccessKey: "test" } };
}

export const ACCOUNT = "000000000000";

export function freshName(kind: string): string {
  return `${kind}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: async (ms) => {
    await pause(ms);
    return true;
  },
};
