/** Asks a registered deployment at once what it announces, and compares the answer with the registration. Stores nothing. */
import { CodedError } from "../../core/errors/coded-error.ts";
import { addressOf } from "../../core/model/deployment.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import { ManifestRuleError } from "../../core/protocol/manifest-rule-error.ts";
import { manifestDifferences } from "../../core/registry/same-manifest.ts";
import type { ManifestDifference } from "../../core/registry/same-manifest.ts";
import { discover } from "./discover.ts";
import type { Discovered, DiscoveryRequest } from "./discover.ts";
import type { DiscoveryLimits } from "./discovery-exchange.ts";
import type { Engine } from "../engine.ts";
import { TransportError } from "../ports/endpoints.ts";
import type { Endpoints, ExchangeHead } from "../ports/endpoints.ts";

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
