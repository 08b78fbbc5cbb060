/** A deployment in a process of its own, over HTTP/2 with prior knowledge: `deployment.ts <port> <ledger>`. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http2";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { playerServices } from "./player.ts";

const [port, ledgerPath] = process.argv.slice(2) as [string, string];
const services = playerServices(ledgerPath, { bootId: randomUUID(), bootAtMs: performance.timeOrigin });

createServer(createEndpointHandler({ services, logger: () => {} })).listen(Number(port), "127.0.0.1");
