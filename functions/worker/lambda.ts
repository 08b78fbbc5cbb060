/** The entry point of the worker function, which handles the messages of the queues. */
import { openAws } from "../../shared/wiring/aws.ts";
import { measured } from "../lambda/measured.ts";
import { workerHandler } from "./worker-handler.ts";

const aws = await openAws({ functionName: "worker" });

export const handler = measured(aws, workerHandler(aws));
