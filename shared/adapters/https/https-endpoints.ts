/** Implements the endpoints port over HTTP/2 and HTTP/1.1, with and without TLS. */
import { shownUri } from "../../core/model/deployment.ts";
import { type Endpoints, type Exchange, type ExchangeRequest, TransportError } from "../../engine/ports/endpoints.ts";
import { type AddressAllowance, AddressGuard } from "./address-guard.ts";
import { CarriedExchange } from "./exchange/carried-exchange.ts";
import { Dialer, type Resolve } from "./dial.ts";
import { broken } from "./exchange/failures.ts";
import { Http1Origin } from "./http1-origin.ts";
import { Http2Origin } from "./http2-origin.ts";
import { parseUri, type ParsedUri } from "./exchange/parsed-uri.ts";

export interface HttpsEndpointsOptions {
  /** Deployments may have these addresses in addition to the public ones; default none. */
  readonly allow?: readonly AddressAllowance[];
  /** The setting that `allow` comes from. If it is given, the refusal of an address names this setting. */
  readonly allowedBy?: string;
  /** True if connections without TLS are opened only to addresses that `allow` names; default false. */
  readonly isClearGuarded?: boolean;
  /** PEM certificates that are trusted beside the public ones. */
  readonly ca?: string;
  /** For name lookup, connection and handshake together; default 10 s. */
  readonly connectTimeoutMs?: number;
  /** Resolves names to addresses; default the system's resolver. The guard checks the resolved addresses in any case. */
  readonly resolve?: Resolve;
}

interface Origin {
  readonly url: URL;
  readonly http2: Http2Origin;
  readonly http1: Http1Origin;
  /** Pending while a handshake chooses the protocol; all requests that negotiate wait for this one handshake. */
  choosing?: Promise<Http2Origin | Http1Origin>;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Deployments are few; beyond this number the cache of parsed URIs is cleared as a whole. */
const PLACES_MAX = 1_000;

export class HttpsEndpoints implements Endpoints {
  readonly #dialer: Dialer;
  readonly #places = new Map<string, ParsedUri>();
  readonly #origins = new Map<string, Origin>();

  /** @throws RangeError for an allowance that is neither a family nor a range */
  constructor(options: HttpsEndpointsOptions = {}) {
    this.#dialer = new Dialer({
      guard: new AddressGuard(options.allow),
      isClearGuarded: options.isClearGuarded ?? false,
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      ...(options.allowedBy === undefined ? {} : { allowedBy: options.allowedBy }),
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
    });
  }

  open(request: ExchangeRequest): Exchange {
    const exchange = new CarriedExchange(request);
    if ("arn" in request.destination) {
      exchange.fail(new TransportError("unreachable", `"${request.destination.arn}" is no address over HTTP.`));
      return exchange;
    }
    const { uri, httpVersion } = request.destination;
    let target: ParsedUri;
    try {
      target = this.#parseUri(uri);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unreadable";
      exchange.fail(
        new TransportError("unreachable", `"${shownUri(uri)}" cannot be reached: ${reason}.`, { cause: error }),
      );
      return exchange;
    }
    const origin = this.#originOf(target.origin);
    if (httpVersion === "http1.1") origin.http1.carry(exchange, target);
    else if (httpVersion === "h2" || target.origin.protocol === "http:") origin.http2.carry(exchange, target);
    else void this.#negotiate(exchange, target, origin);
    return exchange;
  }

  /** Closes every connection at once and for good; exchanges under way break. */
  close(): void {
    this.#dialer.close();
    for (const { http1, http2 } of this.#origins.values()) {
      http1.close();
      http2.close();
    }
    this.#origins.clear();
  }

  /** The peer chooses the protocol in the handshake, and the connection stays for later exchanges. */
  async #negotiate(exchange: CarriedExchange, target: ParsedUri, origin: Origin): Promise<void> {
    if (origin.http2.hasConnection) return origin.http2.carry(exchange, target);
    if (origin.http1.hasConnection) return origin.http1.carry(exchange, target);
    origin.choosing ??= this.#choose(origin).finally(() => delete origin.choosing);
    try {
      (await origin.choosing).carry(exchange, target);
    } catch (error) {
      exchange.fail(broken(error, origin.url));
    }
  }

  async #choose({ url, http1, http2 }: Origin): Promise<Http2Origin | Http1Origin> {
    const { socket, alpn } = await this.#dialer.dial(url, ["h2", "http/1.1"]);
    const chosen = alpn === "h2" ? http2 : http1;
    chosen.adopt(socket);
    return chosen;
  }

  #parseUri(uri: string): ParsedUri {
    const known = this.#places.get(uri);
    if (known !== undefined) return known;
    const target = parseUri(uri);
    if (this.#places.size >= PLACES_MAX) this.#places.clear();
    this.#places.set(uri, target);
    return target;
  }

  #originOf(url: URL): Origin {
    const known = this.#origins.get(url.origin);
    if (known !== undefined) return known;
    const origin: Origin = {
      url,
      http2: new Http2Origin(url, this.#dialer),
      http1: new Http1Origin(url, this.#dialer),
    };
    this.#origins.set(url.origin, origin);
    return origin;
  }
}
