/** Opens a function of the product with a faulty queue, a memory limit, and an id by which the throttle knows its process. */
import { appendFileSync } from "node:fs";
import { type Aws, type AwsOptions, openAws } from "../../../shared/wiring/aws.ts";
import { endOverMemory } from "./memory.ts";
import { faultyQueue } from "./faulty-queue.ts";

/** Settings that the functions inherit from the environment of the run. */
const LOST_SHARE = Number(process.env["LOAD_LOST"]);
const MESSAGES = process.env["LOAD_MESSAGES"]!;

export async function openFaulty(options: AwsOptions): Promise<Aws> {
  // The clients of the SDK put this id into their user agent, by which the throttle finds the sender of a request.
  process.env["AWS_SDK_UA_APP_ID"] = `${options.functionName}.${process.pid}`;
  endOverMemory(options.functionName);
  const note = (what: string): void => appendFileSync(MESSAGES, `${what}\n`);
  return await openAws({ ...options, throughQueue: (queue) => faultyQueue(queue, LOST_SHARE, note) });
}
