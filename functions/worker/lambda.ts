/** The worker function: sends, wakes, timers, retries, and whatever a driver had to put down. */
import { openAws } from "../../shared/wiring/aws.ts";
import { workerHandler } from "./worker-handler.ts";

export const handler = workerHandler(await openAws({ functionName: "worker" }));
