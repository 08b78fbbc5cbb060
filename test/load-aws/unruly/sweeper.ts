/** The sweeper function with a queue that doubles, delays and loses. */
import { sweeperHandler } from "../../../functions/sweeper/sweeper-handler.ts";
import { openAws } from "../../../shared/wiring/aws.ts";
import { unruly } from "./unruly.ts";

export const handler = sweeperHandler(await openAws({ functionName: "sweeper", throughQueue: unruly }));
