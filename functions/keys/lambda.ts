/** The entry point of the function that creates the secret and the signing keys and claims the table; only a deployment of the stack calls it. */
import { measureNothingOverdue } from "../../shared/wiring/first-measure.ts";
import { parameterStore } from "../../shared/wiring/parameter-keys.ts";
import { tableNamed } from "../../shared/wiring/table-format.ts";
import { customResource } from "../lambda/custom-resource.ts";
import { keysResource } from "./keys-handler.ts";

export const handler = customResource(keysResource(parameterStore(), tableNamed, measureNothingOverdue));
