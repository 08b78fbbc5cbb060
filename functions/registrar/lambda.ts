/** The entry point of the function that registers deployments. CloudFormation calls it when a stack is deployed. */
import { customResource } from "../lambda/custom-resource.ts";
import { adminClient } from "./admin-client.ts";
import { AFTER_DEPLOY, patient } from "./patient.ts";
import { deploymentResource } from "./registrar-handler.ts";

const clientOf = (adminUrl: string) => patient(adminClient(adminUrl, process.env), AFTER_DEPLOY);

export const handler = customResource(deploymentResource(clientOf));
