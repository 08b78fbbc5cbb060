/** Bounds the connections of a listener: a further one takes the place of the connection that has been without a request for longest. */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { Ends } from "../door/peer-user.ts";

/** The stores, connections to deployments and the other listener need files too. */
const SHARE_OF_FILES = 1 / 3;
const CONNECTIONS_USUAL_MAX = 10_000;

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

export class ConnectionRoom {
  readonly #max: number;
  readonly #open = new Map<string, { readonly socket: Socket; requests: number }>();
  /** The connections without a request, the longest idle first. A slow request head does not count as a request. */
  readonly #idle = new Map<string, Socket>();

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns false if every place is taken by a connection with a request */
  admit(socket: Socket): boolean {
    const key = keyOf(socket);
    if (this.#open.size >= this.#max) {
      const [first] = this.#idle;
      if (first === undefined) return false;
      this.#forget(first[0]);
      first[1].destroy();
    }
    this.#open.set(key, { socket, requests: 0 });
    this.#idle.set(key, socket);
    socket.once("close", () => {
      // The port may belong to a later connection by now.
      if (this.#open.get(key)?.socket === socket) this.#forget(key);
    });
    return true;
  }

  /** @returns the function to call at the end of the request */
  began(of: Ends): () => void {
    const key = keyOf(of);
    const place = this.#open.get(key);
    if (place === undefined) return () => undefined;
    place.requests += 1;
    this.#idle.delete(key);
    return () => {
      place.requests -= 1;
      if (place.requests === 0 && this.#open.get(key) === place) this.#idle.set(key, place.socket);
    };
  }

  #forget(key: string): void {
    this.#open.delete(key);
    this.#idle.delete(key);
  }
}

/** The socket of an HTTP/2 session is a proxy, which has only the addresses in common with the socket. */
function keyOf({ remoteAddress = "", remotePort = 0 }: Ends): string {
  return `${remoteAddress} ${remotePort}`;
}
