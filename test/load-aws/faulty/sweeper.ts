/** The sweeper function with a queue that doubles, delays and loses messages. */
import { sweeperHandler } from "../../../functions/sweeper/sweeper-handler.ts";
import { openFaulty } from "./open.ts";

export const handler = sweeperHandler(await openFaulty({ functionName: "sweeper" }));
