/** The protocol versions that are offered, how one is picked, and the media types that name them. */

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

/** All that this server knows how to speak; settings may narrow it. */
export const WHOLE_RANGE: ProtocolRange = { min: PROTOCOL_VERSION_MIN, max: PROTOCOL_VERSION_MAX };

/** @returns undefined where the version is none, or lies outside the range */
export function spokenVersion(version: number, ours: ProtocolRange): ProtocolVersion | undefined {
  return isProtocolVersion(version) && version >= ours.min && version <= ours.max ? version : undefined;
}

/**
 * Picks the highest version that both sides speak; it stays with an invocation from its first stored entries to its end.
 * @returns undefined where the ranges do not overlap
 */
export function negotiate(deployment: ProtocolRange, ours: ProtocolRange = WHOLE_RANGE): ProtocolVersion | undefined {
  const candidate = Math.min(deployment.max, ours.max);
  return candidate >= deployment.min ? spokenVersion(candidate, ours) : undefined;
}

/** The media type of an invocation's request and response. Deployments compare it as a whole string: nothing may be appended. */
export function invocationContentType(version: ProtocolVersion): string {
  return `application/vnd.restate.invocation.v${version}`;
}

const INVOCATION_TYPE = /^application\/vnd\.restate\.invocation\.v([0-9]{1,4})$/;

/** @returns the version that a content type names, whether or not it is one of ours; undefined where it names none */
export function versionOfContentType(contentType: string): number | undefined {
  const digits = INVOCATION_TYPE.exec(contentType)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
