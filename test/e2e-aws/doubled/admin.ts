/** The admin function with a queue that delivers every message twice and in any order. */
import { adminHandler } from "../../../functions/admin/admin-handler.ts";
import { openAws } from "../../../shared/wiring/aws.ts";
import { doubled } from "./doubled.ts";

export const handler = adminHandler(
  await openAws({ functionName: "admin", leavesSlowToQueue: true, throughQueue: doubled }),
);
