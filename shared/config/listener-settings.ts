/** The settings of connections, which the listeners of the ingress and of the admin API share. */
import { countOrShare, interval, sizeFrom, type Setting } from "./setting-kinds.ts";

export const LISTENER_SETTINGS = {
  "listeners.headers-size-limit": sizeFrom(
    "8KiB",
    "64KiB",
    "The request line with the headers of one request, over HTTP/1.1 and HTTP/2; a larger request gets 431 over HTTP/1.1, and its stream is reset over HTTP/2. The number of headers has no limit of its own.",
  ),
  "listeners.connections-limit": countOrShare(
    "The connections of the ingress at a time, and those of the admin API. A further connection ends the one that has been without a request for longest, or else the one whose request has been arriving for longest, from five seconds on, or else one of the client that has the most, if the new client has fewer. If none gives way, it gets 503. A client is an address of IPv4, a /64 of IPv6, or this machine. The share is a third of the files that the process may open, and at most 10000.",
  ),
  "listeners.head-timeout": interval(
    "1m",
    "How long a new connection may send nothing, and how long the request line with the headers may take to arrive (408).",
  ),
  "listeners.request-timeout": interval("5m", "How long a request with its body may take to arrive (408)."),
  "listeners.idle-timeout": interval(
    "75s",
    "How long a connection may have no request. Make it longer than that of clients and proxies, so that they close first.",
  ),
  "listeners.unread-timeout": interval("1m", "How long a client may read nothing of its answer."),
} as const satisfies Record<string, Setting<unknown>>;
