/** Runs the endpoints contract over every protocol of the HTTPS adapter. */
import { describe } from "vitest";
import { HttpsEndpoints } from "../../shared/adapters/https/https-endpoints.ts";
import { PEER_KINDS, testCa } from "../harness/https/peer.ts";
import { endpointsContract } from "./endpoints-contract.ts";

for (const kind of PEER_KINDS) {
  // Only h2 in the clear has two clients.
  const clients = kind === "h2 in the clear" ? (["own", "node"] as const) : (["node"] as const);
  describe.each(clients)("with the %s client", (h2cClient) => {
    endpointsContract(kind, () => {
      const endpoints = new HttpsEndpoints({ allow: ["loopback"], ca: testCa, h2cClient });
      return { endpoints, close: () => endpoints.close() };
    });
  });
}
