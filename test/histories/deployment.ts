/** The shared things as a deployment in its own process, over HTTP/2 with prior knowledge: `deployment.ts <port>`. */
import { createServer } from "node:http2";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { historyServices } from "./services.ts";

const [port] = process.argv.slice(2);
const answer = createEndpointHandler({ services: historyServices, logger: () => {} });
createServer(answer).listen(Number(port), "127.0.0.1");
