/**
 * Bounds the connections of a listener. At the bound, a further connection takes the place of one that does nothing, of one whose
 * request does not arrive, or of one of the client that has the most.
 */
import { readFileSync } from "node:fs";
import { isIPv4, isIPv6, type Socket } from "node:net";
import type { Ends } from "../door/peer-user.ts";
import { isLoopbackAddress } from "../door/loopback.ts";

/** The stores, connections to deployments and the other listener need files too. */
const SHARE_OF_FILES = 1 / 3;
const CONNECTIONS_USUAL_MAX = 10_000;
/** Most requests have arrived after this time. */
const ARRIVING_MS = 5_000;

/** @returns the default of `listeners.connections-limit`: a third of the files that this process may open, and at most 10,000 */
export function connectionsMax(filesMax: number | undefined = openFilesMax()): number {
  return Math.max(1, Math.min(CONNECTIONS_USUAL_MAX, Math.floor((filesMax ?? Infinity) * SHARE_OF_FILES)));
}

/** The limit of open files; Linux alone shows it to a process. */
function openFilesMax(): number | undefined {
  try {
    const digits = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return digits === undefined ? undefined : Number(digits);
  } catch {
    return undefined;
  }
}

interface Place {
  readonly key: string;
  readonly client: string;
  readonly socket: Socket;
  /** Requests that have arrived or are arriving, without a complete answer. */
  requests: number;
  /** Those of them that have arrived. */
  arrived: number;
  /** Since when requests arrive, and none has arrived. */
  arrivingSinceMs: number;
}

/** A listener reports the progress of one request by these calls. */
interface RequestPlace {
  /** The request with its body is here. */
  readonly arrived: () => void;
  readonly ended: () => void;
}

export class ConnectionRoom {
  readonly #max: number;
  readonly #nowMs: () => number;
  readonly #open = new Map<string, Place>();
  /** The connections without a request, the longest idle first. A slow request head does not count as a request. */
  readonly #idle = new Set<Place>();
  /** The connections with requests of which none has arrived, the longest first. */
  readonly #arriving = new Set<Place>();
  /** The connections of each client. */
  readonly #clients = new Map<string, Set<Place>>();

  constructor(max: number, nowMs: () => number = () => performance.now()) {
    this.#max = max;
    this.#nowMs = nowMs;
  }

  /** @returns false if every place is taken by a connection with a request, and no client has more of them than this one */
  admit(socket: Socket): boolean {
    const client = networkOf(socket.remoteAddress);
    if (this.#open.size >= this.#max) {
      const leaving = this.#idlest() ?? this.#tooManyOf(client);
      if (leaving === undefined) return false;
      this.#forget(leaving);
      leaving.socket.destroy();
    }
    const place = { key: keyOf(socket), client, socket, requests: 0, arrived: 0, arrivingSinceMs: 0 };
    this.#open.set(place.key, place);
    this.#idle.add(place);
    const own = this.#clients.get(client);
    if (own === undefined) this.#clients.set(client, new Set([place]));
    else own.add(place);
    socket.once("close", () => this.#forget(place));
    return true;
  }

  began(of: Ends): RequestPlace {
    const place = this.#open.get(keyOf(of));
    if (place === undefined) return { arrived: () => undefined, ended: () => undefined };
    place.requests += 1;
    this.#sort(place);
    let hasArrived = false;
    return {
      arrived: () => {
        hasArrived = true;
        place.arrived += 1;
        this.#sort(place);
      },
      ended: () => {
        place.requests -= 1;
        if (hasArrived) place.arrived -= 1;
        this.#sort(place);
      },
    };
  }

  /** Puts the place among those of its kind, behind the others. A place that stays of its kind keeps its turn. */
  #sort(place: Place): void {
    if (this.#open.get(place.key) !== place) return;
    const isIdle = place.requests === 0;
    const isArriving = !isIdle && place.arrived === 0;
    if (!isIdle) this.#idle.delete(place);
    else if (!this.#idle.has(place)) this.#idle.add(place);
    if (!isArriving) this.#arriving.delete(place);
    else if (!this.#arriving.has(place)) {
      place.arrivingSinceMs = this.#nowMs();
      this.#arriving.add(place);
    }
  }

  #idlest(): Place | undefined {
    const [idle] = this.#idle;
    if (idle !== undefined) return idle;
    const [arriving] = this.#arriving;
    return arriving !== undefined && this.#nowMs() - arriving.arrivingSinceMs >= ARRIVING_MS ? arriving : undefined;
  }

  /** @returns a connection of the client that has the most, if this client still has fewer with one more */
  #tooManyOf(client: string): Place | undefined {
    let most: Set<Place> | undefined;
    for (const one of this.#clients.values()) if (one.size > (most?.size ?? 0)) most = one;
    const own = this.#clients.get(client)?.size ?? 0;
    return most !== undefined && most.size > own + 1 ? first(most) : undefined;
  }

  /** The key may belong to a later connection by now. */
  #forget(place: Place): void {
    if (this.#open.get(place.key) === place) this.#open.delete(place.key);
    this.#idle.delete(place);
    this.#arriving.delete(place);
    const own = this.#clients.get(place.client);
    own?.delete(place);
    if (own?.size === 0) this.#clients.delete(place.client);
  }
}

function first(places: Set<Place>): Place | undefined {
  const [one] = places;
  return one;
}

/** The socket of an HTTP/2 session is a proxy, which has only the addresses in common with the socket. */
function keyOf({ remoteAddress = "", remotePort = 0 }: Ends): string {
  return `${remoteAddress} ${remotePort}`;
}

const MAPPED = /^::ffff:([\d.]+)$/i;
/** One host has all addresses of a network of IPv6, whose prefix has half of the bits. */
const PREFIX_GROUPS = 4;
const GROUPS = 8;

/** @returns one text for all addresses that one client may have: this machine, an address of IPv4, a network of IPv6 */
export function networkOf(address = ""): string {
  const [bare = ""] = address.split("%", 1);
  const ip = MAPPED.exec(bare)?.[1] ?? bare;
  if (isLoopbackAddress(ip)) return "this machine";
  return isIPv4(ip) || !isIPv6(ip) ? ip : prefixOf(ip);
}

function prefixOf(ip: string): string {
  const [start = "", end] = ip.split("::");
  const before = start.split(":").filter((group) => group !== "");
  const after = (end ?? "").split(":").filter((group) => group !== "");
  const zeros = end === undefined ? 0 : GROUPS - before.length - after.length;
  const groups = [...before, ...Array.from({ length: Math.max(0, zeros) }, () => "0"), ...after];
  return groups
    .slice(0, PREFIX_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
