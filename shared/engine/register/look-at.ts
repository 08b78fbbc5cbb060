/** Looks whether a deployment answers at an address, with one request, or two for a server without HTTP/2. */
import { CodedError } from "../../core/errors/coded-error.ts";
import { addressOf } from "../../core/model/deployment.ts";
import { isOfManifest } from "../../core/protocol/manifest.ts";
import { ManifestRuleError } from "../../core/protocol/manifest-rule-error.ts";
import type { ProtocolRange } from "../../core/protocol/version.ts";
import { httpDestination, readManifest } from "./discover.ts";
import { fetchManifest } from "./discovery-exchange.ts";
import type { DiscoveryLimits, ManifestAnswer } from "./discovery-exchange.ts";
import type { Engine } from "../engine.ts";
import { TransportError } from "../ports/endpoints.ts";
import { currentRange } from "../ports/protocol-range.ts";

export type Looked =
  /** The address answers with a manifest; a registration may still refuse what it announces. */
  | { readonly kind: "deployment"; readonly useHttp11: boolean }
  /** The address answers with a manifest that every registration refuses. `reason` says why, and begins with a code. */
  | { readonly kind: "refused"; readonly reason: string }
  /** No server listens. */
  | { readonly kind: "nothing" }
  /** A server listens, and does not announce itself as a deployment. */
  | { readonly kind: "other" };

/** A deployment of this machine answers at once, and any other server gets no more requests than needed. */
const LIMITS: DiscoveryLimits = { attempts: 1, timeMaxMs: 2_000 };

/**
 * Registers nothing.
 * @param uri an absolute address with http
 * @param additionalHeaders the headers of the deployment's registration; the deployment may refuse a request without them
 */
export async function lookAt(
  engine: Pick<Engine, "endpoints" | "clock" | "settings">,
  uri: string,
  additionalHeaders: Readonly<Record<string, string>>,
  useHttp11 = false,
): Promise<Looked> {
  try {
    const answer = await fetchManifest(engine, httpDestination({ uri, useHttp11 }), additionalHeaders, LIMITS);
    if (!isOfManifest(answer.contentType)) return { kind: "other" };
    const reason = refusalOf(answer, uri, currentRange(engine.settings));
    return reason === undefined ? { kind: "deployment", useHttp11 } : { kind: "refused", reason };
  } catch (error) {
    if (!(error instanceof CodedError)) return { kind: "other" };
    if (error.code === "META0014" && !useHttp11) return await lookAt(engine, uri, additionalHeaders, true);
    const { cause } = error;
    return { kind: cause instanceof TransportError && cause.reason === "unreachable" ? "nothing" : "other" };
  }
}

/** Every reason begins with a code. The admin API answers a broken rule without a code, so META0013 is put before it here. */
function refusalOf(answer: ManifestAnswer, uri: string, ours: ProtocolRange): string | undefined {
  try {
    readManifest(answer, addressOf({ uri }), ours);
    return undefined;
  } catch (error) {
    if (error instanceof CodedError) return error.message;
    if (!(error instanceof ManifestRuleError)) throw error;
    return new CodedError("META0013", `the manifest breaks a rule: ${error.message}`).message;
  }
}
