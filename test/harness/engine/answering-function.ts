/** A substitute for a deployment on Lambda: it answers every discovery and records the requests. */
import type { EngineSettings } from "../../../shared/engine/ports/engine-settings.ts";
import type { Endpoints, ExchangeRequest } from "../../../shared/engine/ports/endpoints.ts";
import { SteppedClock } from "../../stepped-clock.ts";

/** @param manifest the answer to every discovery */
export function functionWith(manifest: object) {
  const asked: ExchangeRequest[] = [];
  const bodies = [new TextEncoder().encode(JSON.stringify(manifest))];
  const endpoints: Endpoints = {
    open(request) {
      asked.push(request);
      const left = [...bodies];
      const headers = { "content-type": "application/vnd.restate.endpointmanifest.v4+json" };
      return {
        head: async () => ({ status: 200, headers, httpVersion: "http1.1" }),
        next: async () => left.shift(),
        write: () => undefined,
        halfClose: () => undefined,
        abort: () => undefined,
      };
    },
  };
  const protocol = { min: 5, max: 7, deprecatedBelow: 5 };
  const settings = { clusterName: "test", protocol } as EngineSettings;
  return { asked, endpoints, engine: { endpoints, clock: new SteppedClock(), settings } };
}
