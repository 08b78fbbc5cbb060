/** The sweeper function with a queue that delivers every message twice and out of order. */
import { sweeperHandler } from "../../../functions/sweeper/sweeper-handler.ts";
import { openAws } from "../../../shared/wiring/aws.ts";
import { doubled } from "./doubled.ts";

export const handler = sweeperHandler(await openAws({ functionName: "sweeper", throughQueue: doubled }));
