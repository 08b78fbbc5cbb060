/** The entry point of the admin function, which serves the admin API. */
import { openAws } from "../../shared/wiring/aws.ts";
import { measured } from "../lambda/measured.ts";
import { adminHandler } from "./admin-handler.ts";

const aws = await openAws({ functionName: "admin", leavesSlowToQueue: true });

export const handler = measured(aws, adminHandler(aws));
