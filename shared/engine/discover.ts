/** Discovery: what a deployment offers, read from its manifest and checked against what this server speaks. */
import { CodedError } from "../core/errors/coded-error.ts";
import type { DeploymentDestination } from "../core/model/deployment.ts";
import { JsonShapeError } from "../core/protocol/json-object.ts";
import { parseManifest } from "../core/protocol/manifest.ts";
import type { Manifest } from "../core/protocol/manifest.ts";
import { addressText, parseAddress } from "../core/registry/deployment-identity.ts";
import type { DiscoveredManifest } from "../core/registry/same-manifest.ts";
import { fetchManifest } from "./discovery-exchange.ts";
import type { ManifestAnswer } from "./discovery-exchange.ts";
import type { Engine } from "./engine.ts";

const SDK_NAME_MAX_CHARACTERS = 256;

export interface DiscoveryRequest {
  readonly uri: string;
  /** Speak HTTP/1.1 to `http:` addresses; `https:` ones decide in their handshake. */
  readonly useHttp11: boolean;
  readonly additionalHeaders: Readonly<Record<string, string>>;
}

export interface Discovered {
  readonly destination: DeploymentDestination;
  readonly manifest: DiscoveredManifest;
  readonly sdkVersion?: string;
}

/** The address is no absolute `http:` or `https:` one. */
export class AddressError extends Error {
  override name = "AddressError";
}

/**
 * @throws AddressError, ManifestRuleError where the manifest asks for what is not allowed,
 * CodedError META0003, META0012, META0013 or META0014
 */
export async function discover(
  engine: Pick<Engine, "endpoints" | "clock" | "settings">,
  request: DiscoveryRequest,
): Promise<Discovered> {
  const address = parseAddress(request.uri);
  if (address === undefined || (address.scheme !== "http" && address.scheme !== "https")) {
    throw new AddressError(`'${request.uri}' is not an absolute address with http or https`);
  }
  const uri = addressText(address);
  const spoken = address.scheme === "https" ? "negotiate" : request.useHttp11 ? "http1.1" : "h2";
  const answer = await fetchManifest(engine, { uri, httpVersion: spoken }, request.additionalHeaders);
  const { protocolMode, minProtocolVersion, maxProtocolVersion, services } = readManifest(answer, uri);
  const sdkVersion = answer.sdkVersion?.slice(0, SDK_NAME_MAX_CHARACTERS);
  return {
    destination: { kind: "http", uri, httpVersion: answer.httpVersion },
    manifest: { protocolMode, minProtocolVersion, maxProtocolVersion, services },
    ...(sdkVersion === undefined ? {} : { sdkVersion }),
  };
}

/** A manifest that cannot be decoded is a bad answer of the deployment, whatever the reason. */
function readManifest(answer: ManifestAnswer, uri: string): Manifest {
  try {
    return parseManifest(answer.contentType, answer.body);
  } catch (error) {
    if (!(error instanceof JsonShapeError)) throw error;
    throw new CodedError("META0013", `the manifest of '${uri}' cannot be decoded: ${error.message}`, { cause: error });
  }
}
