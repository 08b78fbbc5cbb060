/** The entry point of the sweeper function, which also drains the dead-letter queue. */
import { openAws } from "../../shared/wiring/aws.ts";
import { measured } from "../lambda/measured.ts";
import { sweeperHandler } from "./sweeper-handler.ts";

const aws = await openAws({ functionName: "sweeper" });

export const handler = measured(aws, sweeperHandler(aws));
