/** Looks whether a deployment answers at an address, with one request, or two for a server without HTTP/2. */
import { CodedError } from "../../core/errors/coded-error.ts";
import { discover } from "./discover.ts";
import type { DiscoveryLimits } from "./discovery-exchange.ts";
import type { Engine } from "../engine.ts";
import { TransportError } from "../ports/endpoints.ts";

export type Looked =
  /** The address answers with a manifest; a registration may still refuse it. */
  | { readonly kind: "deployment"; readonly useHttp11: boolean }
  /** No server listens. */
  | { readonly kind: "nothing" }
  /** A server listens, and does not announce itself as a deployment. */
  | { readonly kind: "other" };

/** Codes of answers that only a deployment gives. */
const OF_DEPLOYMENTS: ReadonlySet<string> = new Set(["META0012", "META0015"]);

/** A deployment of this machine answers at once, and any other server gets no more requests than needed. */
const LIMITS: DiscoveryLimits = { attempts: 1, timeMaxMs: 2_000 };

/** Registers nothing. @param uri an absolute address with http */
export async function lookAt(
  engine: Pick<Engine, "endpoints" | "clock" | "settings">,
  uri: string,
  useHttp11 = false,
): Promise<Looked> {
  try {
    await discover(engine, { uri, useHttp11, additionalHeaders: {} }, LIMITS);
    return { kind: "deployment", useHttp11 };
  } catch (error) {
    if (!(error instanceof CodedError)) return { kind: "other" };
    if (OF_DEPLOYMENTS.has(error.code)) return { kind: "deployment", useHttp11 };
    if (error.code === "META0014" && !useHttp11) return await lookAt(engine, uri, true);
    const { cause } = error;
    return { kind: cause instanceof TransportError && cause.reason === "unreachable" ? "nothing" : "other" };
  }
}
