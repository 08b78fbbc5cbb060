/** The entry point of the topics function, which accepts records of Kafka. */
import { openAws } from "../../shared/wiring/aws.ts";
import { measured } from "../lambda/measured.ts";
import { topicsHandler } from "./topics-handler.ts";

const aws = await openAws({ functionName: "topics" });

export const handler = measured(aws, topicsHandler(aws));
