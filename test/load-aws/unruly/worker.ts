/** The worker function with a queue that doubles, delays and loses. */
import { workerHandler } from "../../../functions/worker/worker-handler.ts";
import { openAws } from "../../../shared/wiring/aws.ts";
import { unruly } from "./unruly.ts";

export const handler = workerHandler(await openAws({ functionName: "worker", throughQueue: unruly }));
