/** The deployment of the speed comparison: it counts how often its handlers have run. */
import http2 from "node:http2";
import { createEndpointHandler, handlers, object, serde, service } from "@restatedev/restate-sdk";

let count = 0;
const INPUT = { accept: "*/*", input: serde.binary };
const take = async () => void count++;

const plain = service({ name: "Plain", handlers: { take: handlers.handler(INPUT, take) } });
const keyed = object({ name: "Keyed", handlers: { take: handlers.object.exclusive(INPUT, take) } });
const server = http2.createServer(createEndpointHandler({ services: [plain, keyed], logger: () => {} }));
server.listen(Number(process.argv[2]), "127.0.0.1", () => process.send("ready"));
process.on("message", () => process.send(count));
