/**
 * The keys of an environment as a resource of its stack: created once, kept by updates, and removed with the stack
 * unless `Keep` is set.
 */
import { makeParameterKeys, removeParameterKeys } from "../../shared/wiring/parameter-keys.ts";
import type { ParameterStore } from "../../shared/wiring/parameter-keys.ts";
import type { ResourceEvent, ResourceOutcome } from "../lambda/custom-resource.ts";

/**
 * The attributes `CurrentPublicKey` and `NextPublicKey` contain the keys that deployments must trust.
 * @param tellNothingOverdue called once at the creation of an environment, if its functions write metrics
 */
export function keysResource(
  store: ParameterStore,
  tellNothingOverdue: (environment: string) => void,
): (event: ResourceEvent) => Promise<ResourceOutcome> {
  return async ({ RequestType, ResourceProperties: told, PhysicalResourceId }) => {
    const place = { path: textOf(told, "Path"), signingKey: Number(textOf(told, "SigningKey")) };
    if (RequestType === "Delete") {
      // After a change of the path, CloudFormation also deletes the old path, with its keys.
      if (told["Keep"] !== "true") await removeParameterKeys(store, place);
      return { physicalId: PhysicalResourceId ?? place.path };
    }
    const kmsKeyId = told["KmsKeyId"];
    const { current, next } = await makeParameterKeys(
      store,
      place,
      typeof kmsKeyId === "string" ? kmsKeyId : undefined,
    );
    const measuredAs = told["MeasuredAs"];
    if (RequestType === "Create" && typeof measuredAs === "string") tellNothingOverdue(measuredAs);
    return { physicalId: place.path, attributes: { CurrentPublicKey: current, NextPublicKey: next } };
  };
}

function textOf(told: ResourceEvent["ResourceProperties"], name: string): string {
  const value = told[name];
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`the property ${name} is missing`);
}
