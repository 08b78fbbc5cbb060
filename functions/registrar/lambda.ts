/** The function that registers deployments, called while a stack is deployed. */
import { customResource } from "../lambda/custom-resource.ts";
import { adminClient } from "./admin-client.ts";
import { deploymentResource } from "./registrar-handler.ts";

export const handler = customResource(deploymentResource((adminUrl) => adminClient(adminUrl, process.env)));
