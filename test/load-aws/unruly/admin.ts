/** The admin function with a queue that doubles, delays and loses messages. */
import { adminHandler } from "../../../functions/admin/admin-handler.ts";
import { openUnruly } from "./open.ts";

export const handler = adminHandler(await openUnruly({ functionName: "admin", leavesSlowToQueue: true }));
