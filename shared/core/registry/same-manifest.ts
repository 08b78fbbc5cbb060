/** Compares a discovered manifest with the registered one: same protocol, and same services in any order. */
import type { ServiceRevision } from "../model/deployment.ts";
import type { Handler, Service } from "../model/service.ts";

/** The parts of a manifest that discovery reads. */
export interface DiscoveredManifest {
  readonly protocolMode: "bidi-stream" | "request-response";
  readonly minProtocolVersion: number;
  readonly maxProtocolVersion: number;
  readonly services: readonly Service[];
}

type Registered = Omit<DiscoveredManifest, "services"> & {
  readonly services: readonly (Service & Pick<ServiceRevision, "announcedSettings">)[];
};

/** One thing that a deployment announces otherwise than it is registered. */
export interface ManifestDifference {
  /** Absent for what concerns the whole deployment. */
  readonly service?: string;
  /** Absent for what concerns the whole service. */
  readonly handler?: string;
  /** The name of the differing member; `service` or `handler` if one side lacks the whole service or handler. */
  readonly member: string;
  /** Absent if the registration has no such thing. */
  readonly registered?: string;
  /** Absent if the deployment announces no such thing. */
  readonly found?: string;
}

/** Compares two manifests. An operator's changes of a registered service do not count: its announced settings are compared. */
export function sameManifest(left: Registered, right: Registered): boolean {
  return manifestDifferences(left, right).length === 0;
}

/** The services of the registration come first, in its order, then those that are new. */
export function manifestDifferences(registered: Registered, found: Registered): readonly ManifestDifference[] {
  const versions = ({ minProtocolVersion: min, maxProtocolVersion: max }: Registered): string => `${min} to ${max}`;
  return [
    ...differing({}, "protocol mode", registered.protocolMode, found.protocolMode),
    ...differing({}, "protocol versions", versions(registered), versions(found)),
    ...pairs(registered.services, found.services).flatMap(([before, after]) => {
      const service = (before ?? after)!.name;
      if (before === undefined || after === undefined) return oneSided({ service }, "service", before, after);
      return serviceDifferences(service, before, after);
    }),
  ];
}

function serviceDifferences(
  service: string,
  before: Registered["services"][number],
  after: Registered["services"][number],
): readonly ManifestDifference[] {
  return [
    ...differing({ service }, "type", before.type, after.type),
    ...differing({ service }, "documentation", before.documentation, after.documentation),
    ...differing({ service }, "metadata", before.metadata, after.metadata),
    ...differing(
      { service },
      "settings",
      before.announcedSettings ?? before.settings,
      after.announcedSettings ?? after.settings,
    ),
    ...pairs(before.handlers, after.handlers).flatMap(([earlier, later]) => {
      const handler = (earlier ?? later)!.name;
      if (earlier === undefined || later === undefined)
        return oneSided({ service, handler }, "handler", earlier, later);
      return handlerDifferences({ service, handler }, earlier, later);
    }),
  ];
}

type Place = Pick<ManifestDifference, "service" | "handler">;

function handlerDifferences(place: Place, before: Handler, after: Handler): readonly ManifestDifference[] {
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Handler)[];
  return members.flatMap((member) => differing(place, member, before[member], after[member]));
}

function differing(place: Place, member: string, before: unknown, after: unknown): readonly ManifestDifference[] {
  const [registered, found] = [textOf(before), textOf(after)];
  if (registered === found) return [];
  return [{ ...place, member, ...(registered !== undefined && { registered }), ...(found !== undefined && { found }) }];
}

function oneSided(
  place: Place,
  member: string,
  before: { readonly type: string } | undefined,
  after: { readonly type: string } | undefined,
): readonly ManifestDifference[] {
  return differing(place, member, before?.type, after?.type);
}

/** Pairs the elements of the same name; those that only the second list has come last. */
function pairs<Named extends { readonly name: string }>(
  before: readonly Named[],
  after: readonly Named[],
): readonly (readonly [Named | undefined, Named | undefined])[] {
  const later = new Map(after.map((one) => [one.name, one]));
  const known = new Set(before.map(({ name }) => name));
  return [
    ...before.map((one) => [one, later.get(one.name)] as const),
    ...after.filter(({ name }) => !known.has(name)).map((one) => [undefined, one] as const),
  ];
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  return canonical(value);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** JSON with sorted object keys and without absent members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    const members = Object.entries(part).filter(([, inner]) => inner !== undefined);
    return Object.fromEntries(members.sort(([a], [b]) => compare(a, b)));
  });
}
