/** The worker function with a queue that doubles, delays and loses messages. */
import { workerHandler } from "../../../functions/worker/worker-handler.ts";
import { openFaulty } from "./open.ts";

export const handler = workerHandler(await openFaulty({ functionName: "worker" }));
