/**
 * Serves the handlers of the load test over HTTP/2 in the process of the suite. Each attempt gets, in a header, the id of the
 * process that drives it.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer, type Http2ServerRequest } from "node:http2";
import type { Server, Socket } from "node:net";
import "../../examples/polyfill.mjs";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { startServer, type Peer } from "../harness/https/peer.ts";
import { functionNames, processesOf } from "../e2e-aws/function-processes.ts";
import type { DeployedStack } from "../e2e-aws/control-plane.ts";
import { DRIVER_HEADER } from "./handlers/attempt.ts";
import { bulkServices } from "./handlers/bulk.ts";
import { loadServices } from "./handlers/services.ts";

export async function serveLoad(ledgerPath: string, stack: DeployedStack): Promise<Peer> {
  const services = [...loadServices("Url", ledgerPath), ...bulkServices("Url", ledgerPath)];
  const answer = createEndpointHandler({ services, logger: () => {} });
  const driverOf = new WeakMap<Socket, number>();
  const server = createServer((request: Http2ServerRequest, response) => {
    const { socket } = request.stream.session!;
    request.headers[DRIVER_HEADER] = String(driverOf.get(socket as Socket) ?? 0);
    answer(request, response);
  });
  server.on("session", (session) => {
    const socket = session.socket as Socket;
    driverOf.set(socket, peerProcess(socket.remotePort!, stack));
  });
  return await startServer(server as Server);
}

/** @returns the function's process that has this local port; 0 if it has ended */
function peerProcess(port: number, stack: DeployedStack): number {
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  const inode = ["/proc/net/tcp", "/proc/net/tcp6"]
    .map((file) => inodeOf(readFileSync(file, "utf8"), hexPort))
    .find(Boolean);
  if (inode === undefined) return 0;
  return processesOf(functionNames(stack)).find((pid) => hasSocket(pid, inode)) ?? 0;
}

/** The columns: number, local address, remote address, state, queues, timer, retransmissions, user, timeout, inode. */
function inodeOf(table: string, hexPort: string): string | undefined {
  const lines = table.split("\n").map((line) => line.trim().split(/\s+/));
  return lines.find(([, local]) => local?.endsWith(`:${hexPort}`))?.[9];
}

function hasSocket(pid: number, inode: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((fd) => readlinkSync(`${folder}/${fd}`) === `socket:[${inode}]`);
  } catch {
    // The process has ended meanwhile, or has closed the connection.
    return false;
  }
}
