/**
 * The program `deployment.mjs <version>`, which serves the deployment. It runs in a process of its own, so that the memory of the
 * control plane is measured alone.
 */
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { isDiscovery, offerUpTo, type ProtocolVersion } from "../offered-version.ts";
import { large, leaf } from "./services.ts";

const version = Number(process.argv[2]) as ProtocolVersion;
const answer = createEndpointHandler({ services: [large, leaf], logger: () => {} });
const server = createServer((request, response) => {
  if (isDiscovery(request)) offerUpTo(version, response);
  answer(request, response);
});
server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
