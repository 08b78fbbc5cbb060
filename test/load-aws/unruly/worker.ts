/** The worker function with a queue that doubles, delays and loses messages. */
import { workerHandler } from "../../../functions/worker/worker-handler.ts";
import { openUnruly } from "./open.ts";

export const handler = workerHandler(await openUnruly({ functionName: "worker" }));
