/** The admin function with a queue that doubles, delays and loses. */
import { adminHandler } from "../../../functions/admin/admin-handler.ts";
import { openAws } from "../../../shared/wiring/aws.ts";
import { unruly } from "./unruly.ts";

export const handler = adminHandler(await openAws({ functionName: "admin", throughQueue: unruly }));
