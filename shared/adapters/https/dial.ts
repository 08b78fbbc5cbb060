/** Opens connections to origins: checks each address and certificate, and limits the time. */
import { lookup } from "node:dns/promises";
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import {
  connect as connectTls,
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import { TransportError } from "../../engine/ports/endpoints.ts";
import type { AddressGuard } from "./address-guard.ts";
import { unopened } from "./exchange/failures.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name. @throws when the name does not exist */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface DialerOptions {
  readonly guard: AddressGuard;
  /** The name of the setting that allows more addresses. */
  readonly allowedBy?: string;
  /** True if connections without TLS are opened only to addresses that an allowance names. */
  readonly isClearGuarded: boolean;
  readonly resolve?: Resolve;
  /** PEM certificates that are trusted beside the public ones. */
  readonly ca?: string;
  /** The limit for name lookup, connection and handshake together. */
  readonly connectTimeoutMs: number;
}

/** The peer's choice in the handshake; `none` if the peer chose nothing, or without TLS. */
export type Alpn = "h2" | "http/1.1" | "none";

export interface Connection {
  readonly socket: Socket;
  readonly alpn: Alpn;
}

/** Kinds of refused addresses at which an operator may run deployments; no deployment runs at the other kinds. */
const OWN_NETWORKS: ReadonlySet<string | undefined> = new Set(["loopback", "private", "carrier-grade NAT"]);

const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true });

export class Dialer {
  readonly #options: DialerOptions;
  readonly #opening = new Set<Socket>();
  #trust: SecureContext | undefined;
  #closed = false;

  constructor(options: DialerOptions) {
    this.#options = options;
  }

  /**
   * @param origin the connection uses TLS if the scheme is https
   * @param protocols the ALPN protocols to offer
   * @throws TransportError `forbidden`, `unreachable` or `tls`
   */
  async dial(origin: URL, protocols: readonly ("h2" | "http/1.1")[]): Promise<Connection> {
    if (this.#closed) throw new TransportError("unreachable", "This side was closed and opens no more connections.");
    const secure = origin.protocol === "https:";
    const host = origin.hostname.replace(/^\[|\]$/g, "");
    // Node calls no lookup for a literal address, so this line judges the address.
    if (isIP(host) !== 0) this.#allowed(host, [{ address: host, family: isIP(host) }], secure);
    const port = origin.port === "" ? (secure ? 443 : 80) : Number(origin.port);
    const route = { host, port, lookup: this.#guardedLookup(secure), autoSelectFamily: true };
    const socket = secure
      ? connectTls({ ...route, ALPNProtocols: [...protocols], secureContext: this.#secureContext() })
      : connectTcp(route);
    this.#opening.add(socket);
    try {
      await opened(socket, secure, origin, this.#options.connectTimeoutMs);
    } finally {
      this.#opening.delete(socket);
    }
    socket.setNoDelay(true);
    return { socket, alpn: secure ? alpnOf(socket as TLSSocket) : "none" };
  }

  /** Destroys the connections that are being opened, and prevents new ones. */
  close(): void {
    this.#closed = true;
    for (const socket of this.#opening) socket.destroy();
  }

  /** Judges the resolved addresses at every connection, because a name can change its address. */
  #guardedLookup(secure: boolean): LookupFunction {
    const resolve = this.#options.resolve ?? systemResolve;
    return (hostname, options, callback) => {
      resolve(hostname)
        .then((found) => this.#allowed(hostname, found, secure))
        .then(
          (allowed) => {
            if (options.all === true) callback(null, [...allowed]);
            else callback(null, allowed[0]?.address ?? "", allowed[0]?.family ?? 0);
          },
          (error: NodeJS.ErrnoException) => callback(error, ""),
        );
    };
  }

  #allowed(hostname: string, found: readonly ResolvedAddress[], secure: boolean): readonly ResolvedAddress[] {
    const { guard, allowedBy, isClearGuarded } = this.#options;
    const reachable = found.filter(({ address }) => guard.refusal(address) === undefined);
    const [first] = found;
    if (first === undefined) throw new TransportError("unreachable", `${hostname} has no address.`);
    const allowed = secure || !isClearGuarded ? reachable : reachable.filter(({ address }) => guard.isNamed(address));
    if (allowed.length > 0) return allowed;
    const [open] = reachable;
    if (open !== undefined) {
      const remedy = allowedBy === undefined ? "" : `, or name the address in the setting ${allowedBy}`;
      throw new TransportError(
        "forbidden",
        `${hostname} is at a public address (${open.address}), and without TLS the networks on the way could read its requests. Register it with https://${remedy}.`,
      );
    }
    const reason = guard.refusal(first.address);
    const named = hostname === first.address ? hostname : `${hostname} resolves to ${first.address}, which`;
    const remedy = allowedBy !== undefined && OWN_NETWORKS.has(reason) ? ` The setting ${allowedBy} can allow it.` : "";
    throw new TransportError("forbidden", `${named} is a forbidden address (${reason}).${remedy}`);
  }

  #secureContext(): SecureContext {
    const { ca } = this.#options;
    this.#trust ??= createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ca] });
    return this.#trust;
  }
}

function alpnOf(socket: TLSSocket): Alpn {
  const chosen = socket.alpnProtocol;
  return chosen === "h2" || chosen === "http/1.1" ? chosen : "none";
}

function opened(socket: Socket, secure: boolean, origin: URL, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let phase: "connect" | "handshake" = "connect";
    const timer = setTimeout(() => {
      socket.destroy(new TransportError("unreachable", `No connection to ${origin.host} within ${timeoutMs} ms.`));
    }, timeoutMs);
    const onReady = (): void => {
      clearTimeout(timer);
      resolve();
    };
    socket.once("connect", () => (phase = "handshake"));
    socket.once(secure ? "secureConnect" : "connect", onReady);
    // This listener stays as long as the socket exists: an error event without a listener would end the process.
    socket.on("error", (error) => {
      clearTimeout(timer);
      reject(unopened(error, phase, origin));
    });
    socket.once("close", () => {
      clearTimeout(timer);
      reject(unopened(undefined, phase, origin));
    });
  });
}
