/** Signs the requests to deployments if a key is configured. */
import { readFileSync, statSync } from "node:fs";
import { RequestIdentity } from "../adapters/system/request-identity.ts";
import { SignedEndpoints } from "../adapters/system/signed-endpoints.ts";
import type { Settings } from "../config/settings-table.ts";
import { CodedError } from "../core/errors/coded-error.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Endpoints } from "../engine/ports/endpoints.ts";
import type { Log } from "../engine/ports/log.ts";

const READ_BY_ALL = 0o004;
const PATH = "request-identity-private-key-pem-file";

/** @throws CodedError RT0002 if the configured file is unreadable, or contains no Ed25519 private key in PEM */
export function signingEndpoints(endpoints: Endpoints, settings: Settings, clock: Clock, log: Log): Endpoints {
  const file = settings[PATH];
  if (file === undefined) return endpoints;
  const identity = identityIn(`${PATH}: ${file}`, () => readFileSync(file, "utf8"));
  log.write("signing-key.loaded", { publicKey: identity.publicKey });
  // Windows does not use these permission bits.
  if (process.platform !== "win32" && (statSync(file).mode & READ_BY_ALL) !== 0) {
    log.write("signing-key.exposed", {
      file,
    });
  }
  return new SignedEndpoints(endpoints, identity, clock);
}

/**
 * @param pem a private key in PEM (PKCS#8)
 * @param place the origin of the key, for the message of a refusal
 * @throws CodedError RT0002 if it is not such a key
 */
export function endpointsSignedBy(endpoints: Endpoints, pem: string, place: string, clock: Clock): Endpoints {
  return new SignedEndpoints(
    endpoints,
    identityIn(place, () => pem),
    clock,
  );
}

function identityIn(place: string, read: () => string): RequestIdentity {
  try {
    return new RequestIdentity(read());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CodedError("RT0002", `${place}: ${reason}`, { cause: error });
  }
}
