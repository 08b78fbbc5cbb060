/** Runs the endpoints contract over every protocol of the HTTPS adapter. */
import { HttpsEndpoints } from "../../shared/adapters/https/https-endpoints.ts";
import { PEER_KINDS, testCa } from "../harness/https/peer.ts";
import { endpointsContract } from "./endpoints-contract.ts";

for (const kind of PEER_KINDS) {
  endpointsContract(kind, () => {
    const endpoints = new HttpsEndpoints({ allow: ["loopback"], ca: testCa });
    return { endpoints, close: () => endpoints.close() };
  });
}
