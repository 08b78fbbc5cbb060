/** Discovery: reads the manifest of a deployment, and checks it against the protocol versions of this server. */
import { CodedError } from "../../core/errors/coded-error.ts";
import { addressOf, shownUri, type DeploymentDestination } from "../../core/model/deployment.ts";
import { LambdaArnError, parseLambdaArn } from "../../core/model/lambda-arn.ts";
import { JsonShapeError } from "../../core/protocol/json-object.ts";
import { parseManifest, type Manifest } from "../../core/protocol/manifest.ts";
import type { ProtocolRange } from "../../core/protocol/version.ts";
import { addressText, parseAddress } from "../../core/registry/deployment-identity.ts";
import type { DiscoveredManifest } from "../../core/registry/same-manifest.ts";
import { fetchManifest, REGISTRATION_LIMITS, type DiscoveryLimits, type ManifestAnswer } from "./discovery-exchange.ts";
import type { Engine } from "../engine.ts";
import type { HttpDestination, LambdaDestination } from "../ports/endpoints.ts";
import { currentRange } from "../ports/protocol-range.ts";

const ROLE_ARN = /^arn:aws(?:-[a-z]+)*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;
const SDK_NAME_MAX_CHARACTERS = 256;

export interface HttpAddress {
  readonly uri: string;
  /** Whether an `http:` address is called by HTTP/1.1; at an `https:` address the handshake chooses the version. */
  readonly useHttp11: boolean;
}

export interface LambdaAddress {
  /** Must name a version or an alias, so that invocations continue with the code that they began with. */
  readonly arn: string;
  /** The role that the server assumes for its calls; by default the server's own. */
  readonly assumeRoleArn?: string;
}

export type DiscoveryRequest = (HttpAddress | LambdaAddress) & {
  readonly additionalHeaders: Readonly<Record<string, string>>;
};

export interface Discovered {
  readonly destination: DeploymentDestination;
  readonly manifest: DiscoveredManifest;
  readonly sdkVersion?: string;
}

/**
 * The URI is not an absolute `http:` or `https:` URI, or its query contains `***`, which the admin API shows in place of a real
 * value, or the ARN of the function or of the role is invalid.
 */
export class AddressError extends Error {
  override name = "AddressError";
  readonly field: "uri" | "arn" | "assume_role_arn";
  constructor(field: AddressError["field"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.field = field;
  }
}

/**
 * @throws AddressError; ManifestRuleError if the manifest breaks a rule;
 *   CodedError META0003, META0012, META0013, META0014 or META0015
 */
export async function discover(
  engine: Pick<Engine, "endpoints" | "clock" | "settings">,
  request: DiscoveryRequest,
  limits: DiscoveryLimits = REGISTRATION_LIMITS,
): Promise<Discovered> {
  const asked = destinationOf(request);
  const answer = await fetchManifest(engine, asked, request.additionalHeaders, limits);
  const manifest = readManifest(answer, addressOf(asked), currentRange(engine.settings));
  const { protocolMode, minProtocolVersion, maxProtocolVersion, services, lambdaCompression } = manifest;
  if ("arn" in asked && protocolMode === "bidi-stream") throw new CodedError("META0015", `'${asked.arn}'`);
  const sdkVersion = answer.sdkVersion?.slice(0, SDK_NAME_MAX_CHARACTERS);
  return {
    destination:
      "arn" in asked
        ? { kind: "lambda", ...asked, ...(lambdaCompression && { compression: lambdaCompression }) }
        : { kind: "http", uri: asked.uri, httpVersion: answer.httpVersion },
    manifest: { protocolMode, minProtocolVersion, maxProtocolVersion, services },
    ...(sdkVersion === undefined ? {} : { sdkVersion }),
  };
}

/**
 * The destination of a request, before any exchange: enough to find a registered deployment with the same address.
 * @throws AddressError
 */
export function destinationAsked(request: HttpAddress | LambdaAddress): DeploymentDestination {
  const asked = destinationOf(request);
  return "arn" in asked ? { kind: "lambda", arn: asked.arn } : { kind: "http", uri: asked.uri, httpVersion: "h2" };
}

function destinationOf(request: HttpAddress | LambdaAddress): HttpDestination | LambdaDestination {
  return "arn" in request ? lambdaDestination(request) : httpDestination(request);
}

/** @throws AddressError */
export function httpDestination({ uri: text, useHttp11 }: HttpAddress): HttpDestination {
  const address = parseAddress(text);
  if (address === undefined || (address.scheme !== "http" && address.scheme !== "https")) {
    throw new AddressError("uri", `'${shownUri(text)}' is not an absolute address with http or https`);
  }
  if (/[?&=]\*{3}(?:&|$)/.test(address.query)) {
    throw new AddressError(
      "uri",
      "its query has the masked values of an answer; give the real values, or, in an update, omit the address",
    );
  }
  const httpVersion = address.scheme === "https" ? "negotiate" : useHttp11 ? "http1.1" : "h2";
  return { uri: addressText(address), httpVersion };
}

function lambdaDestination({ arn, assumeRoleArn }: LambdaAddress): LambdaDestination {
  if (assumeRoleArn !== undefined && !ROLE_ARN.test(assumeRoleArn)) {
    throw new AddressError("assume_role_arn", `'${assumeRoleArn}' is not the ARN of a role`);
  }
  try {
    return { arn: parseLambdaArn(arn).text, ...(assumeRoleArn === undefined ? {} : { assumeRoleArn }) };
  } catch (cause) {
    if (!(cause instanceof LambdaArnError)) throw cause;
    throw new AddressError("arn", cause.message, { cause });
  }
}

/**
 * If the manifest cannot be decoded, reports that as an error of the deployment.
 * @throws ManifestRuleError; CodedError META0012 or META0013
 */
export function readManifest(answer: ManifestAnswer, uri: string, ours: ProtocolRange): Manifest {
  try {
    return parseManifest(answer.contentType, answer.body, ours);
  } catch (error) {
    if (!(error instanceof JsonShapeError)) throw error;
    throw new CodedError("META0013", `the manifest of '${uri}' cannot be decoded: ${error.message}`, { cause: error });
  }
}
