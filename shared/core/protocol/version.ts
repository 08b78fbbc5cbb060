/** The supported protocol versions, their negotiation, and their media types. */

export const PROTOCOL_VERSIONS = [5, 6, 7] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

export const PROTOCOL_VERSION_MIN: ProtocolVersion = 5;
export const PROTOCOL_VERSION_MAX: ProtocolVersion = 7;

export function isProtocolVersion(version: number): version is ProtocolVersion {
  return (PROTOCOL_VERSIONS as readonly number[]).includes(version);
}

/** Versions from `min` to `max`, both included. */
export interface ProtocolRange {
  readonly min: number;
  readonly max: number;
}

/** All versions that this server supports; settings may narrow the range. */
export const WHOLE_RANGE: ProtocolRange = { min: PROTOCOL_VERSION_MIN, max: PROTOCOL_VERSION_MAX };

/** @returns undefined if the version is unknown or outside the range */
export function spokenVersion(version: number, ours: ProtocolRange): ProtocolVersion | undefined {
  return isProtocolVersion(version) && version >= ours.min && version <= ours.max ? version : undefined;
}

/**
 * Picks the highest version that both sides support; an invocation keeps it from its first stored entry to its end.
 * @returns undefined if the ranges do not overlap
 */
export function negotiate(deployment: ProtocolRange, ours: ProtocolRange = WHOLE_RANGE): ProtocolVersion | undefined {
  const candidate = Math.min(deployment.max, ours.max);
  return candidate >= deployment.min ? spokenVersion(candidate, ours) : undefined;
}

/** The media type of an invocation's request and response. Deployments compare the whole string, so nothing may be appended. */
export function invocationContentType(version: ProtocolVersion): string {
  return `application/vnd.restate.invocation.v${version}`;
}

const INVOCATION_TYPE = /^application\/vnd\.restate\.invocation\.v([0-9]{1,4})$/;

/** @returns the version in a content type, supported or not; undefined if the content type has none */
export function versionOfContentType(contentType: string): number | undefined {
  const digits = INVOCATION_TYPE.exec(contentType)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
