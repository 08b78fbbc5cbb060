/** The entry point of the function that registers deployments and schedules. CloudFormation calls it when a stack is deployed. */
import { customResource } from "../lambda/custom-resource.ts";
import { adminClient } from "./admin-client.ts";
import { AFTER_DEPLOY, patient } from "./patient.ts";
import { deploymentResource } from "./registrar-handler.ts";
import { isOfSchedule, scheduleResource } from "./schedule-resource.ts";

const clientOf = (adminUrl: string) => patient(adminClient(adminUrl, process.env), AFTER_DEPLOY);

const [deployment, schedule] = [deploymentResource(clientOf), scheduleResource(clientOf)];

export const handler = customResource((event) => (isOfSchedule(event) ? schedule(event) : deployment(event)));
