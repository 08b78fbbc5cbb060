/** The admin function with a queue that doubles, delays and loses messages. */
import { adminHandler } from "../../../functions/admin/admin-handler.ts";
import { openFaulty } from "./open.ts";

export const handler = adminHandler(await openFaulty({ functionName: "admin", leavesSlowToQueue: true }));
