/** The registrar for a machine that resolves no names below localhost: it calls an emulated API by its path. */
import { adminClient } from "../../../functions/registrar/admin-client.ts";
import { AFTER_DEPLOY, patient } from "../../../functions/registrar/patient.ts";
import { deploymentResource } from "../../../functions/registrar/registrar-handler.ts";
import { customResource } from "../../../functions/lambda/custom-resource.ts";

const NAMED = /^http:\/\/(\w+)\.execute-api\.([^/]+)/;

function byPath(url: string): string {
  return url.replace(NAMED, "http://$2/_aws/execute-api/$1/$$default");
}

export const handler = customResource(
  deploymentResource((url) => patient(adminClient(byPath(url), process.env), AFTER_DEPLOY)),
);
