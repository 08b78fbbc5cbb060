/** Loads the tracer only if tracing is configured, so that no other process loads its code. */
import type { Settings } from "../config/settings-table.ts";
import type { Log } from "../engine/ports/log.ts";
import type { Tracer } from "../engine/ports/tracer.ts";

export async function tracing(settings: Settings, log: Log): Promise<{ readonly tracer?: Tracer }> {
  const endpoint = settings["tracing-endpoint"];
  if (endpoint === undefined) return {};
  const { OtlpTracer } = await import("../adapters/tracing/otlp-tracer.ts");
  const tracer = new OtlpTracer({ endpoint, clusterName: settings["cluster-name"], environment: process.env, log });
  log.write("tracing.started", { to: tracer.url });
  return { tracer };
}
