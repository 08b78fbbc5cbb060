/** The sweeper function with a queue that doubles and shuffles. */
import { sweeperHandler } from "../../../functions/sweeper/sweeper-handler.ts";
import { openAws } from "../../../shared/wiring/aws.ts";
import { doubled } from "./doubled.ts";

export const handler = sweeperHandler(await openAws({ functionName: "sweeper", throughQueue: doubled }));
