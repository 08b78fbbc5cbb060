/** Sample manifests, which each test changes in one place. */
import { parseManifest, type Manifest } from "../../../shared/core/protocol/manifest.ts";
import { text } from "./hex.ts";

export type Json = Record<string, unknown>;
export const TYPE = "application/vnd.restate.endpointmanifest.v4+json";
export const endpoint = { protocolMode: "BIDI_STREAM", minProtocolVersion: 5, maxProtocolVersion: 7 };
export const parse = (manifest: unknown): Manifest => parseManifest(TYPE, text(JSON.stringify(manifest)));
export const service = (changed: Json = {}): Json => ({
  name: "Greeter",
  ty: "SERVICE",
  handlers: [{ name: "greet" }],
  ...changed,
});
export const withService = (changed: Json): Json => ({ ...endpoint, services: [service(changed)] });
export const withHandler = (handler: Json, changed: Json = {}): Json =>
  withService({ handlers: [{ name: "greet", ...handler }], ...changed });
