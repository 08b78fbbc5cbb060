/**
 * Connects functions on AWS to deployments over HTTP: with TLS to public addresses, and in clear text only to addresses that
 * the setting allows.
 */
import { HttpsEndpoints } from "../adapters/https/https-endpoints.ts";
import type { Settings } from "../config/settings-table.ts";

type HttpsSettings = Pick<Settings, "aws.allowed-addresses" | "worker.invoker.connect-timeout">;

/**
 * A function may run inside a private network. So it connects only to public addresses, over TLS, and to the addresses that
 * the setting allows.
 */
export function awsHttpsEndpoints(settings: HttpsSettings): HttpsEndpoints {
  const allowedBy = "aws.allowed-addresses";
  const allow = (settings[allowedBy] ?? "").split(",").map((range) => range.trim());
  return new HttpsEndpoints({
    allow: allow.filter((range) => range !== ""),
    allowedBy,
    // Requests contain inputs, states and the headers that authenticate Stepwell to deployments.
    isClearGuarded: true,
    connectTimeoutMs: settings["worker.invoker.connect-timeout"],
  });
}
