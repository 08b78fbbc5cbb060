/** Deployments over HTTP as functions on AWS reach them: at addresses that are allowed, and in the clear at none but those. */
import { HttpsEndpoints } from "../adapters/https/https-endpoints.ts";
import type { Settings } from "../config/settings-table.ts";

type HttpsSettings = Pick<Settings, "aws.allowed-addresses" | "worker.invoker.connect-timeout">;

/** Functions stand in somebody's network, so that nothing but public addresses is reached unless it is allowed, and those by TLS alone. */
export function awsHttpsEndpoints(settings: HttpsSettings): HttpsEndpoints {
  const allowedBy = "aws.allowed-addresses";
  const allow = (settings[allowedBy] ?? "").split(",").map((range) => range.trim());
  return new HttpsEndpoints({
    allow: allow.filter((range) => range !== ""),
    allowedBy,
    // What is sent holds inputs, states and the headers with which deployments let us in.
    isClearGuarded: true,
    connectTimeoutMs: settings["worker.invoker.connect-timeout"],
  });
}
