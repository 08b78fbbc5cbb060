/** Signs the requests to deployments where a key is configured. */
import { readFileSync } from "node:fs";
import { RequestIdentity } from "../adapters/system/request-identity.ts";
import { SignedEndpoints } from "../adapters/system/signed-endpoints.ts";
import type { Settings } from "../config/settings-table.ts";
import { CodedError } from "../core/errors/coded-error.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Endpoints } from "../engine/ports/endpoints.ts";
import type { Log } from "../engine/ports/log.ts";

const PATH = "request-identity-private-key-pem-file";

/** @throws CodedError RT0002 where the file that is named cannot be read, or holds no such key */
export function signingEndpoints(endpoints: Endpoints, settings: Settings, clock: Clock, log: Log): Endpoints {
  const file = settings[PATH];
  if (file === undefined) return endpoints;
  const identity = identityIn(file);
  log.info("requests to deployments are signed", { publicKey: identity.publicKey });
  return new SignedEndpoints(endpoints, identity, clock);
}

function identityIn(file: string): RequestIdentity {
  try {
    return new RequestIdentity(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CodedError("RT0002", `${PATH}: ${file}: ${reason}`, { cause: error });
  }
}
