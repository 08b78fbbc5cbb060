/** The protocol versions that this server speaks, those that take new work, and why a deployment takes no new work. */
import type { Deployment } from "../../core/model/deployment.ts";
import { negotiate, type ProtocolRange } from "../../core/protocol/version.ts";
import type { EngineSettings } from "./engine-settings.ts";

/** The range for open invocations; it includes deprecated versions. */
export function spokenRange({ protocol }: EngineSettings): ProtocolRange {
  return protocol;
}

/** The range for registrations and new invocations. */
export function currentRange({ protocol }: EngineSettings): ProtocolRange {
  return { min: Math.max(protocol.min, protocol.deprecatedBelow), max: protocol.max };
}

/**
 * @returns why the deployment takes no new work (RT0020); undefined if it takes new work, or if it speaks no version of this
 *   server
 */
export function deprecation(settings: EngineSettings, deployment: Deployment): string | undefined {
  const offered = { min: deployment.minProtocolVersion, max: deployment.maxProtocolVersion };
  const version = negotiate(offered, spokenRange(settings));
  if (version === undefined || negotiate(offered, currentRange(settings)) !== undefined) return undefined;
  return `'${deployment.id}' speaks protocol version ${version} at most, and new work begins at ${currentRange(settings).min}`;
}
