/** The worker function with a queue that doubles and shuffles. */
import { workerHandler } from "../../../functions/worker/worker-handler.ts";
import { openAws } from "../../../shared/wiring/aws.ts";
import { doubled } from "./doubled.ts";

export const handler = workerHandler(await openAws({ functionName: "worker", throughQueue: doubled }));
