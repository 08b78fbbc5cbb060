/** A registered deployment: its destination, and the services that the software there offers. */
import type { DeploymentId } from "./ids.ts";
import type { Handler, HandlerSettings, Service, EffectiveSettings } from "./service.ts";

/** The destination of a deployment: an address over HTTP, or a version or alias of a Lambda function. */
export type DeploymentDestination =
  | { readonly kind: "http"; readonly uri: string; readonly httpVersion: "h2" | "http1.1" }
  /**
   * `compression` is present if the deployment can read and write zstd; `assumeRoleArn` is present if the call assumes another
   * role.
   */
  | {
      readonly kind: "lambda";
      readonly arn: string;
      readonly compression?: "zstd";
      readonly assumeRoleArn?: string;
    };

/** Replaces a secret in shown texts. */
export const MASK = "***";

/** The readable name of the destination: its ARN, or its URI without possible secrets. */
export function addressOf(destination: { readonly uri: string } | { readonly arn: string }): string {
  return "uri" in destination ? shownUri(destination.uri) : destination.arn;
}

/**
 * Masks user, password, query values and fragment of a URI for output and logs, because they may be credentials. The
 * text need not be valid.
 */
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
  /** The settings in the manifest; present once an operator has changed some of them. */
  readonly announcedSettings?: HandlerSettings;
}

export interface Deployment {
  readonly id: DeploymentId;
  readonly destination: DeploymentDestination;
  readonly protocolMode: "bidi-stream" | "request-response";
  readonly minProtocolVersion: number;
  readonly maxProtocolVersion: number;
  /** Sent with discovery and with every attempt. */
  readonly additionalHeaders: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
  readonly sdkVersion?: string;
  readonly services: readonly ServiceRevision[];
}

/** The deployment that serves a handler, and the settings that apply to the handler. */
export interface Route {
  readonly deployment: Deployment;
  readonly service: ServiceRevision;
  readonly handler: Handler;
  readonly settings: EffectiveSettings;
}
