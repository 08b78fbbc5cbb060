/** The Endpoints contract over every protocol that the HTTP adapter speaks. */
import { describe } from "vitest";
import { HttpsEndpoints } from "../../shared/adapters/https/https-endpoints.ts";
import { PEER_KINDS, testCa } from "../harness/https/peer.ts";
import { endpointsContract } from "./endpoints-contract.ts";

for (const kind of PEER_KINDS) {
  // Only in the clear is there a choice.
  const clients = kind === "h2 in the clear" ? (["own", "node"] as const) : (["node"] as const);
  describe.each(clients)("with the client of %s", (h2cClient) => {
    endpointsContract(kind, () => {
      const endpoints = new HttpsEndpoints({ allow: ["loopback"], ca: testCa, h2cClient });
      return { endpoints, close: () => endpoints.close() };
    });
  });
}
