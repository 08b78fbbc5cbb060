/** A deployment: the endpoint software at one destination, immutable once registered, with the services it exposes. */
import type { DeploymentId } from "./ids.ts";
import type { Handler, Service, EffectiveSettings } from "./service.ts";

/** Where a deployment is reached: at an address over HTTP, or as a version or alias of a Lambda function. */
export type DeploymentDestination =
  | { readonly kind: "http"; readonly uri: string; readonly httpVersion: "h2" | "http1.1" }
  /** `compression` where the deployment can read and write it; `assumeRoleArn` where it is called as another role. */
  | {
      readonly kind: "lambda";
      readonly arn: string;
      readonly compression?: "zstd";
      readonly assumeRoleArn?: string;
    };

/** What stands in the place of a secret. */
export const MASK = "***";

/** What names the destination to a reader: its ARN, or its URI without what may be secret in it. */
export function addressOf(destination: { readonly uri: string } | { readonly arn: string }): string {
  return "uri" in destination ? shownUri(destination.uri) : destination.arn;
}

/** A URI, or what was meant to be one, as it may be shown and logged: user, password and the values of its query open doors. */
export function shownUri(uri: string): string {
  const [, place = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(uri) ?? [];
  const front = place.replace(/^([a-z][a-z0-9+.-]*:)?([/\\]*)[^/\\]*@/i, `$1$2${MASK}@`);
  const parts = query
    .slice(1)
    .split("&")
    .map((part) => {
      const name = part.slice(0, part.indexOf("=") + 1);
      return part.length > name.length ? name + MASK : part;
    });
  return front + (query === "" ? "" : `?${parts.join("&")}`) + (fragment.length > 1 ? `#${MASK}` : fragment);
}

export interface ServiceRevision extends Service {
  /** 1 at the first registration of the service. */
  readonly revision: number;
}

export interface Deployment {
  readonly id: DeploymentId;
  readonly destination: DeploymentDestination;
  readonly protocolMode: "bidi-stream" | "request-response";
  readonly minProtocolVersion: number;
  readonly maxProtocolVersion: number;
  /** Sent on discovery and on every attempt. */
  readonly additionalHeaders: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
  readonly sdkVersion?: string;
  readonly services: readonly ServiceRevision[];
}

/** The answer to "who serves this handler, and under which rules". */
export interface Route {
  readonly deployment: Deployment;
  readonly service: ServiceRevision;
  readonly handler: Handler;
  readonly settings: EffectiveSettings;
}
