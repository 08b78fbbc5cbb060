/** One message as bytes and as a value. */
import type { ProtocolVersion } from "../../../shared/core/protocol/version.ts";

export interface GoldenVector {
  readonly name: string;
  /** The versions that send a message with these bytes. */
  readonly versions: readonly ProtocolVersion[];
  /** Header and payload. */
  readonly hex: string;
  readonly value: unknown;
}

export const ALL: readonly ProtocolVersion[] = [5, 6, 7];
/** The failure 500 "bad" as fields: 8 bytes, or 16 with the metadata k = v. */
export const BAD = "08f403 1203626164";
export const BAD_WITH_METADATA = `${BAD} 1a06 0a016b 120176`;
export const bad = { code: 500, message: "bad", metadata: [] };
export const badWithMetadata = { ...bad, metadata: [{ key: "k", value: "v" }] };
