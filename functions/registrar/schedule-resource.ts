/** Handles the custom resource of a schedule: it is created or changed with its stack, and deleted with it. */
import { NEVER_MADE, type ResourceEvent, type ResourceOutcome } from "../lambda/custom-resource.ts";
import type { AskAdmin } from "./admin-client.ts";
import { answerText } from "./registrar-handler.ts";

export function isOfSchedule({ ResourceProperties }: ResourceEvent): boolean {
  return ResourceProperties["Schedule"] !== undefined;
}

/** Properties: `AdminUrl`, `Name`, `Schedule` (the body of `PUT /schedules/{name}`, as JSON). */
export function scheduleResource(
  clientOf: (adminUrl: string) => AskAdmin,
): (event: ResourceEvent) => Promise<ResourceOutcome> {
  return async ({ RequestType, ResourceProperties: properties, PhysicalResourceId = NEVER_MADE }) => {
    const ask = clientOf(String(properties["AdminUrl"]));
    const physicalId = RequestType === "Delete" ? PhysicalResourceId : String(properties["Name"]);
    const path = `/schedules/${encodeURIComponent(physicalId)}`;
    if (RequestType === "Delete") {
      if (physicalId === NEVER_MADE) return { physicalId };
      const answer = await ask("DELETE", path);
      if (answer.status >= 300 && answer.status !== 404)
        throw new Error(`the schedule ${physicalId} is not deleted: ${answerText(answer)}`);
      return { physicalId };
    }
    const answer = await ask("PUT", path, JSON.parse(String(properties["Schedule"])) as object);
    if (answer.status < 300) return { physicalId };
    throw new Error(`the schedule ${physicalId} is not made: ${answerText(answer)}`);
  };
}
