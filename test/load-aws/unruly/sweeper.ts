/** The sweeper function with a queue that doubles, delays and loses messages. */
import { sweeperHandler } from "../../../functions/sweeper/sweeper-handler.ts";
import { openUnruly } from "./open.ts";

export const handler = sweeperHandler(await openUnruly({ functionName: "sweeper" }));
