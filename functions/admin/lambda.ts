/** The entry point of the admin function: deployments, services, invocations. */
import { openAws } from "../../shared/wiring/aws.ts";
import { measured } from "../lambda/measured.ts";
import { adminHandler } from "./admin-handler.ts";

const aws = await openAws({ functionName: "admin" });

export const handler = measured(aws, adminHandler(aws));
