/** The registrar for a machine that cannot resolve the host names of emulated APIs: it puts the id of the API into the path. */
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
