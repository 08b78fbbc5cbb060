/** The entry point of the worker function: sends, wakes, timers, retries, and parked invocations. */
import { openAws } from "../../shared/wiring/aws.ts";
import { measured } from "../lambda/measured.ts";
import { workerHandler } from "./worker-handler.ts";

const aws = await openAws({ functionName: "worker" });

export const handler = measured(aws, workerHandler(aws));
