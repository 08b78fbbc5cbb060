/** Looks at a deployment without a change of the registry. */
import { CodedError } from "../../core/errors/coded-error.ts";
import { type Deployment, addressOf } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import { ManifestRuleError } from "../../core/protocol/manifest-rule-error.ts";
import { type ManifestDifference, manifestDifferences } from "../../core/registry/same-manifest.ts";
import { type Discovered, type DiscoveryRequest, discover, httpDestination, readManifest } from "./discover.ts";
import { type DiscoveryLimits, type ManifestAnswer, fetchManifest } from "./discovery-exchange.ts";
import type { Engine } from "../engine.ts";
import { type Endpoints, type ExchangeHead, TransportError } from "../ports/endpoints.ts";
import { isOfManifest } from "../../core/protocol/manifest.ts";
import type { ProtocolRange } from "../../core/protocol/version.ts";
import { currentRange } from "../ports/protocol-range.ts";

/** One request: a second one would hide that the first has failed. */
const LIMITS: DiscoveryLimits = { attempts: 1, timeMaxMs: 5_000 };

export interface Probe {
  readonly deployment: Deployment;
  readonly beganAtMs: number;
  readonly tookMs: number;
  /** The head of the answer; absent if none came. */
  readonly head?: Pick<ExchangeHead, "status" | "httpVersion">;
  readonly result:
    | { readonly kind: "announced"; readonly found: Discovered; readonly differences: readonly ManifestDifference[] }
    /** No answer, or one that every registration refuses too. */
    | { readonly kind: "failed"; readonly reason: string; readonly code?: string };
}

/**
 * Makes one discovery request with the headers of the registration, through the endpoints that attempts use, so the same address
 * guard and the same signature apply. An answer counts as a contact, and closes no circuit: a deployment that announces its
 * handlers may still fail all attempts.
 * @returns undefined if there is no such deployment
 */
export async function probeDeployment(
  engine: Pick<Engine, "endpoints" | "clock" | "settings" | "registry"> & {
    readonly bulkheads: Pick<Engine["bulkheads"], "contacts">;
  },
  id: DeploymentId,
): Promise<Probe | undefined> {
  engine.registry.refresh();
  const deployment = (await engine.registry.deployments()).find((one) => one.id === id);
  if (deployment === undefined) return undefined;
  const { clock, settings } = engine;
  const beganAtMs = clock.nowMs();
  let head: ExchangeHead | undefined;
  const endpoints = listening(engine.endpoints, (came) => {
    head = came;
    engine.bulkheads.contacts.set(id, clock.nowMs());
  });
  const result = await resultOf(deployment, discover({ endpoints, clock, settings }, requestOf(deployment), LIMITS));
  const tookMs = Math.max(0, clock.nowMs() - beganAtMs);
  return { deployment, beganAtMs, tookMs, ...(head !== undefined && { head }), result };
}

function listening(endpoints: Endpoints, onHead: (head: ExchangeHead) => void): Endpoints {
  return {
    open(request) {
      const exchange = endpoints.open(request);
      return {
        async head() {
          const head = await exchange.head();
          onHead(head);
          return head;
        },
        next: () => exchange.next(),
        write: (bytes) => exchange.write(bytes),
        halfClose: () => exchange.halfClose(),
        abort: () => exchange.abort(),
      };
    },
  };
}

function requestOf({ destination, additionalHeaders }: Deployment): DiscoveryRequest {
  if (destination.kind === "http") {
    return { uri: destination.uri, useHttp11: destination.httpVersion === "http1.1", additionalHeaders };
  }
  const { arn, assumeRoleArn } = destination;
  return { arn, ...(assumeRoleArn !== undefined && { assumeRoleArn }), additionalHeaders };
}

async function resultOf(deployment: Deployment, discovering: Promise<Discovered>): Promise<Probe["result"]> {
  try {
    const found = await discovering;
    return { kind: "announced", found, differences: differencesOf(deployment, found) };
  } catch (error) {
    if (error instanceof CodedError) return { kind: "failed", reason: error.message, code: error.code };
    if (error instanceof ManifestRuleError) {
      return { kind: "failed", reason: `The manifest is not valid: ${error.message}` };
    }
    if (!(error instanceof TransportError)) throw error;
    return { kind: "failed", reason: `${addressOf(deployment.destination)} got no request: ${error.message}` };
  }
}

function differencesOf(deployment: Deployment, { destination, manifest, sdkVersion }: Discovered) {
  return [
    ...changed("HTTP version", httpOf(deployment.destination), httpOf(destination)),
    ...changed("compression", compressionOf(deployment.destination), compressionOf(destination)),
    ...changed("SDK", deployment.sdkVersion, sdkVersion),
    ...manifestDifferences(deployment, manifest),
  ];
}

function changed(member: string, registered: string | undefined, found: string | undefined) {
  if (registered === found) return [];
  return [{ member, ...(registered !== undefined && { registered }), ...(found !== undefined && { found }) }];
}

function httpOf(destination: Deployment["destination"]): string | undefined {
  if (destination.kind === "lambda") return undefined;
  return destination.httpVersion === "h2" ? "HTTP/2" : "HTTP/1.1";
}

function compressionOf(destination: Deployment["destination"]): string | undefined {
  return destination.kind === "lambda" ? destination.compression : undefined;
}

export type Looked =
  /** The address answers with a manifest; a registration may still refuse what it announces. */
  | { readonly kind: "deployment"; readonly useHttp11: boolean }
  /** The address answers with a manifest that every registration refuses. `reason` says why, and begins with a code. */
  | { readonly kind: "refused"; readonly reason: string }
  /** No server listens. */
  | { readonly kind: "nothing" }
  /** A server listens, and does not announce itself as a deployment. */
  | { readonly kind: "other" };

/** A deployment of this machine answers at once, and any other server gets no more requests than needed. */
const LOOK_LIMITS: DiscoveryLimits = { attempts: 1, timeMaxMs: 2_000 };

/**
 * Registers nothing.
 * @param uri an absolute address with http
 * @param additionalHeaders the headers of the deployment's registration; the deployment may refuse a request without them
 */
export async function lookAt(
  engine: Pick<Engine, "endpoints" | "clock" | "settings">,
  uri: string,
  additionalHeaders: Readonly<Record<string, string>>,
  useHttp11 = false,
): Promise<Looked> {
  try {
    const answer = await fetchManifest(engine, httpDestination({ uri, useHttp11 }), additionalHeaders, LOOK_LIMITS);
    if (!isOfManifest(answer.contentType)) return { kind: "other" };
    const reason = refusalOf(answer, uri, currentRange(engine.settings));
    return reason === undefined ? { kind: "deployment", useHttp11 } : { kind: "refused", reason };
  } catch (error) {
    if (!(error instanceof CodedError)) return { kind: "other" };
    if (error.code === "META0014" && !useHttp11) return await lookAt(engine, uri, additionalHeaders, true);
    const { cause } = error;
    return { kind: cause instanceof TransportError && cause.reason === "unreachable" ? "nothing" : "other" };
  }
}

/** Every reason begins with a code. The admin API answers a broken rule without a code, so META0013 is put before it here. */
function refusalOf(answer: ManifestAnswer, uri: string, ours: ProtocolRange): string | undefined {
  try {
    readManifest(answer, addressOf({ uri }), ours);
    return undefined;
  } catch (error) {
    if (error instanceof CodedError) return error.message;
    if (!(error instanceof ManifestRuleError)) throw error;
    return new CodedError("META0013", `the manifest breaks a rule: ${error.message}`).message;
  }
}
