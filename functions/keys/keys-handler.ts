/**
 * The keys of an environment as a resource of its stack: created once, kept by updates, and removed with the stack
 * unless `Keep` is set. With the keys, the environment claims its table.
 */
import { makeParameterKeys, removeParameterKeys, type ParameterStore } from "../../shared/wiring/parameter-keys.ts";
import type { Table } from "../../shared/engine/ports/table.ts";
import { claimForEnvironment } from "../../shared/wiring/table-format.ts";
import type { ResourceEvent, ResourceOutcome } from "../lambda/custom-resource.ts";

/**
 * The attributes `CurrentPublicKey` and `NextPublicKey` contain the keys that deployments must trust.
 * @param measureNothingOverdue records that no invocation is overdue, so that the alarm for a dead sweeper stays silent; called
 *   once at the creation of an environment, if its functions write metrics
 */
export function keysResource(
  store: ParameterStore,
  tableNamed: (name: string) => Table,
  measureNothingOverdue: (environment: string) => void,
): (event: ResourceEvent) => Promise<ResourceOutcome> {
  return async ({ RequestType, ResourceProperties: properties, PhysicalResourceId }) => {
    const place = { path: textOf(properties, "Path"), signingKey: Number(textOf(properties, "SigningKey")) };
    if (RequestType === "Delete") {
      // After a change of the path, CloudFormation also sends a deletion of the old path, so its keys are removed too.
      if (properties["Keep"] !== "true") await removeParameterKeys(store, place);
      return { physicalId: PhysicalResourceId ?? place.path };
    }
    const kmsKeyId = properties["KmsKeyId"];
    const { current, next } = await makeParameterKeys(
      store,
      place,
      typeof kmsKeyId === "string" ? kmsKeyId : undefined,
    );
    await claimForEnvironment(tableNamed(textOf(properties, "Table")), store, place);
    const measuredAs = properties["MeasuredAs"];
    if (RequestType === "Create" && typeof measuredAs === "string") measureNothingOverdue(measuredAs);
    return { physicalId: place.path, attributes: { CurrentPublicKey: current, NextPublicKey: next } };
  };
}

function textOf(properties: ResourceEvent["ResourceProperties"], name: string): string {
  const value = properties[name];
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`the property ${name} is missing`);
}
