/** The function that makes the keys, called while the stack is deployed and never else. */
import { tellNothingOverdue } from "../../shared/wiring/first-measure.ts";
import { parameterStore } from "../../shared/wiring/parameter-keys.ts";
import { customResource } from "../lambda/custom-resource.ts";
import { keysResource } from "./keys-handler.ts";

export const handler = customResource(keysResource(parameterStore(), tellNothingOverdue));
