/** The Endpoints contract over every protocol that the HTTP adapter speaks. */
import { HttpsEndpoints } from "../../shared/adapters/https/https-endpoints.ts";
import { PEER_KINDS, testCa } from "../adapters/https/peer.ts";
import { endpointsContract } from "./endpoints-contract.ts";

for (const kind of PEER_KINDS) {
  endpointsContract(kind, () => {
    const endpoints = new HttpsEndpoints({ allow: ["loopback"], ca: testCa });
    return { endpoints, close: () => endpoints.close() };
  });
}
