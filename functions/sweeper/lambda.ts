/** The sweeper function: it wakes what nobody woke, and empties the dead-letter queue. */
import { openAws } from "../../shared/wiring/aws.ts";
import { sweeperHandler } from "./sweeper-handler.ts";

export const handler = sweeperHandler(await openAws({ functionName: "sweeper" }));
