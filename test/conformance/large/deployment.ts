/** The deployment as a program, so that its memory does not count as the control plane's: `deployment.js <version>`. */
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
