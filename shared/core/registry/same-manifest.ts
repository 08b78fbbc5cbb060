/** Compares a discovered manifest with the registered one: same protocol, and same services in any order. */
import type { ServiceRevision } from "../model/deployment.ts";
import type { Service } from "../model/service.ts";

/** The parts of a manifest that discovery reads. */
export interface DiscoveredManifest {
  readonly protocolMode: "bidi-stream" | "request-response";
  readonly minProtocolVersion: number;
  readonly maxProtocolVersion: number;
  readonly services: readonly Service[];
}

/** Compares two manifests. An operator's changes of a registered service do not count: its announced settings are compared. */
export function sameManifest(left: DiscoveredManifest, right: DiscoveredManifest): boolean {
  return (
    left.protocolMode === right.protocolMode &&
    left.minProtocolVersion === right.minProtocolVersion &&
    left.maxProtocolVersion === right.maxProtocolVersion &&
    canonical(byName(left.services)) === canonical(byName(right.services))
  );
}

function byName(services: readonly (Service & Pick<ServiceRevision, "announcedSettings">)[]): readonly unknown[] {
  const ordered = [...services].sort((a, b) => compare(a.name, b.name));
  return ordered.map(({ name, type, documentation, metadata, settings, announcedSettings, handlers }) => ({
    // The members are listed one by one, so that the revision of a registered service is ignored.
    name,
    type,
    documentation,
    metadata,
    settings: announcedSettings ?? settings,
    handlers: [...handlers].sort((a, b) => compare(a.name, b.name)),
  }));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** JSON with sorted object keys and without absent members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    const pairs = Object.entries(part).filter(([, inner]) => inner !== undefined);
    return Object.fromEntries(pairs.sort(([a], [b]) => compare(a, b)));
  });
}
