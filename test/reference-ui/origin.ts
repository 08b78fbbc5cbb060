/** One origin for the browser: the pages come from the reference server, every other request goes to the measured server. */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { accessOf } from "../harness/local/admin-access.ts";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

export interface Origin {
  /** Without a slash at the end. */
  readonly url: string;
  /** The answered requests to the measured server since the last `forget`. */
  requests(): SeenRequest[];
  openRequests(): number;
  forget(): void;
  close(): void;
}

/**
 * @param pagesUrl the admin address of the reference server
 * @param measuredUrl the admin address of the server that gets the requests of the pages
 */
export async function openOrigin(pagesUrl: string, measuredUrl: string): Promise<Origin> {
  const seen: SeenRequest[] = [];
  const open = new Set<ServerResponse>();
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "/";
    open.add(outgoing);
    outgoing.on("close", () => open.delete(outgoing));
    if (/^\/ui(\/|$)/.test(path)) forward(incoming, outgoing, pagesUrl, () => {});
    else forward(incoming, outgoing, measuredUrl, (one) => seen.push(one));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => [...seen],
    openRequests: () => open.size,
    forget: () => void seen.splice(0),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  base: string,
  done: (one: SeenRequest) => void,
): void {
  const { method = "GET", url: path = "/" } = incoming;
  const asked: Buffer[] = [];
  // Uncompressed answers can be read by the test.
  const headers = { ...incoming.headers, ...accessOf(base), "accept-encoding": "identity" };
  const onward = request(new URL(path, base), { method, headers }, (answer) => {
    const parts: Buffer[] = [];
    const status = answer.statusCode ?? 0;
    outgoing.writeHead(status, answer.headers);
    answer.on("data", (part: Buffer) => parts.push(part));
    answer.on("end", () => {
      done({ method, path, status, body: Buffer.concat(asked).toString(), answer: Buffer.concat(parts).toString() });
    });
    answer.pipe(outgoing);
  });
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.on("data", (part: Buffer) => asked.push(part));
  incoming.pipe(onward);
}
