/** A deployment in its own process, over HTTP/2 with prior knowledge: `deployment.ts <port> <ledger> [<protocol version>]`. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http2";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { isDiscovery, offerUpTo, type ProtocolVersion } from "../conformance/offered-version.ts";
import { playerServices } from "./player.ts";

const [port, ledgerPath, version] = process.argv.slice(2) as [string, string, string | undefined];
const services = playerServices(ledgerPath, { bootId: randomUUID(), bootAtMs: performance.timeOrigin });

const answer = createEndpointHandler({ services, logger: () => {} });
createServer((request, response) => {
  if (version !== undefined && isDiscovery(request)) offerUpTo(Number(version) as ProtocolVersion, response);
  answer(request, response);
}).listen(Number(port), "127.0.0.1");
