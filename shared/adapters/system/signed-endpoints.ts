/** Signs each request to a deployment, so that the deployment can refuse requests of other senders. */
import type { Clock } from "../../engine/ports/clock.ts";
import type { Endpoints, Exchange, ExchangeRequest } from "../../engine/ports/endpoints.ts";
import type { RequestIdentity } from "./request-identity.ts";

export class SignedEndpoints implements Endpoints {
  readonly #inner: Endpoints;
  readonly #identity: RequestIdentity;
  readonly #clock: Clock;

  constructor(inner: Endpoints, identity: RequestIdentity, clock: Clock) {
    this.#inner = inner;
    this.#identity = identity;
    this.#clock = clock;
  }

  open(request: ExchangeRequest): Exchange {
    const { path, headers } = request;
    const key = headers["x-restate-service-key"];
    const subject = { path, ...(key !== undefined && { key: decodeURIComponent(key) }) };
    const token = this.#identity.token(subject, this.#clock.nowMs());
    return this.#inner.open({
      ...request,
      headers: { ...headers, "x-restate-signature-scheme": "v1", "x-restate-jwt-v1": token },
    });
  }
}
