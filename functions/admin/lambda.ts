/** The admin function: deployments, services, invocations. */
import { openAws } from "../../shared/wiring/aws.ts";
import { adminHandler } from "./admin-handler.ts";

export const handler = adminHandler(await openAws({ functionName: "admin" }));
