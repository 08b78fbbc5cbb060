/** A local proxy for an API behind IAM: it signs each request with Signature Version 4 and forwards it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { CONNECTION_HEADERS } from "../../../shared/api/wire/connection-headers.ts";
import { PAGE_KEY_HEADER, type DoorErrorBody } from "../../../shared/api/wire/door.ts";
import { doorOf, type Door, type Knock } from "../../door/door.ts";
import { otherCookies } from "../../door/session-cookie.ts";
import { requestSigner, type SignRequest } from "../../signing/request-signer.ts";
import { textResponse } from "../../../shared/api/http/message.ts";
import { peerUser } from "../../door/peer-user.ts";

/** The largest request body that API Gateway accepts. */
const BODY_MAX_BYTES = 10 * 1024 * 1024;
/** Headers that belong to one connection, or that the proxy itself sets in the forwarded request. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "host",
  ...CONNECTION_HEADERS,
  "content-length",
  "content-encoding",
  "accept-encoding",
  "expect",
  "authorization",
  "cookie",
  PAGE_KEY_HEADER,
]);
const JSON_TYPE = { "content-type": "application/json" };
/** The files of the web UI have endings; no handler that a browser calls by GET has a name of this form below `ui`. */
const PAGE_FILE = /^\/ui\/(?:[\w-]{1,100}\.(?:js|css|svg|html))?$/;
const FOREIGN_HOST = textResponse(403, "The proxy answers only as 127.0.0.1 and localhost");

interface ProxyOptions {
  /** The API that requires signatures. */
  readonly target: URL;
  readonly region: string;
  /** The service name in IAM: `execute-api` for an API Gateway. */
  readonly service: string;
  /** The token and the pages that the proxy accepts from its clients. */
  readonly token: string;
  /** Called once per request. */
  readonly onAnswer: (line: string) => void;
}

/**
 * Uses the credentials that the AWS CLI would use, and reads them again before they expire.
 * @returns a server that is not listening yet
 */
export function signingProxy({ target, region, service, token, onAnswer }: ProxyOptions): Server {
  const sign = requestSigner({ credentials: defaultProvider(), region, service });
  const door = proxyDoor(token, () => (server.address() as AddressInfo).port);
  const server = createServer((incoming, outgoing) => {
    const named = `${incoming.method} ${shownUrl(incoming)}`;
    void passOn(door, sign, target, incoming, outgoing).then(
      (status) => onAnswer(`${status} ${named}`),
      (error: unknown) => {
        const { message } =
          error instanceof Error ? ((error.cause as Error | undefined) ?? error) : { message: String(error) };
        onAnswer(`502 ${named}: ${message}`);
        if (outgoing.headersSent) return void outgoing.destroy();
        outgoing.writeHead(502, JSON_TYPE);
        outgoing.end(failure(`The proxy could not forward this request: ${message}`));
      },
    );
  });
  return server;
}

/** A client that speaks to the ingress or the admin API behind the proxy recognizes the proxy's own failures by their source. */
function failure(message: string): string {
  const body: DoorErrorBody = { message, restate_code: null, source: "proxy" };
  return JSON.stringify(body);
}

/** Without the query of a path of the door, which has a code. */
function shownUrl({ url = "/" }: IncomingMessage): string {
  return url.startsWith("/-/") ? url.split("?", 1)[0]! : url;
}

async function passOn(
  door: Door,
  sign: SignRequest,
  target: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<number> {
  const outside = door(knockOf(incoming), incoming.socket);
  if (outside !== undefined) {
    outgoing.writeHead(outside.status, outside.headers).end(outside.body);
    return outside.status;
  }
  const body = await wholeBody(incoming);
  if (body === undefined) {
    outgoing.writeHead(413, JSON_TYPE).end(failure(`The body is larger than ${BODY_MAX_BYTES} bytes`));
    return 413;
  }
  const url = urlAt(target, incoming.url ?? "/");
  const { method = "GET" } = incoming;
  const cookie = otherCookies(incoming.headers.cookie ?? "");
  const forwarded = { ...kept(incoming.headers), ...(cookie !== undefined && { cookie }) };
  const headers = await sign({ method, url, headers: forwarded, body });
  const response = await fetch(url, {
    method,
    headers,
    redirect: "manual",
    ...(body.length === 0 ? {} : { body }),
  });
  outgoing.writeHead(response.status, kept(Object.fromEntries(response.headers)));
  for await (const piece of response.body ?? []) outgoing.write(piece);
  outgoing.end();
  return response.status;
}

/**
 * Takes only the path and the query from the request. The path gets a host before it is parsed: without a host, the parser
 * would take the first part of a path that begins with two slashes for a host, and the request would lose this part.
 */
function urlAt(target: URL, asked: string): URL {
  const { pathname, search } = new URL(asked.startsWith("/") ? `http://proxy${asked}` : asked, "http://proxy");
  const url = new URL(target);
  url.pathname = `${target.pathname.replace(/\/$/, "")}${pathname}`;
  url.search = search;
  return url;
}

/** The signature covers the body, so the whole body must be read before the first byte is sent. */
async function wholeBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > BODY_MAX_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function kept(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Record<string, string> {
  const pairs = Object.entries(headers).filter(([name, value]) => value !== undefined && !OWN_HEADERS.has(name));
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, typeof value === "string" ? value : value!.join(", ")]),
  );
}

/** @param port the port on which the proxy listens */
function proxyDoor(token: string, port: () => number): Door {
  const tokens = doorOf({
    token,
    nowMs: () => Date.now(),
    isOpen: () => false,
    isPageFile: ({ method, path }) => method === "GET" && PAGE_FILE.test(path),
    whereTokenIs: "`stepwell proxy` has printed it at its start",
    source: "proxy",
    userOf: peerUser,
  });
  return (knock, ends) => (isOwnHost(knock.headers["host"], port()) ? tokens(knock, ends) : FOREIGN_HOST);
}

/** A page whose name was pointed at this machine after it was loaded has its own name as host. */
function isOwnHost(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

/** The request as the door looks at it. Of a header that came twice, the door sees both values in one text, or the first. */
function knockOf({ method = "GET", url = "/", headers }: IncomingMessage): Knock {
  const at = url.indexOf("?");
  const path = at < 0 ? url : url.slice(0, at);
  const texts = Object.entries(headers).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return { method, path, query: at < 0 ? "" : url.slice(at + 1), headers: Object.fromEntries(texts) };
}
