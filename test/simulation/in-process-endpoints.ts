/** Deployments without a network: a function answers the exchanges, and outlives the simulated process of the engine. */
import {
  TransportError,
  type Endpoints,
  type Exchange,
  type ExchangeHead,
  type ExchangeRequest,
} from "../../shared/engine/ports/endpoints.ts";
import type { StreamDeployment } from "./stream-deployment.ts";

export interface WholeReply {
  readonly head: ExchangeHead;
  readonly body: Uint8Array;
}

export type Deployment = (request: ExchangeRequest) => Promise<WholeReply>;

export class InProcessEndpoints implements Endpoints {
  readonly #deployment: Deployment;
  /** Answers exchanges that stay open; absent if none does. */
  readonly streams: StreamDeployment | undefined;
  #busy = 0;

  constructor(deployment: Deployment, streams?: StreamDeployment) {
    this.#deployment = deployment;
    this.streams = streams;
  }

  /** The number of running requests, during which virtual time stands still. */
  get busy(): number {
    return this.#busy;
  }

  /** Lets virtual time pass while a handler waits for something outside. */
  async rest<T>(outside: Promise<T>): Promise<T> {
    this.#busy--;
    try {
      return await outside;
    } finally {
      this.#busy++;
    }
  }

  /** Resolves when the handler has answered. */
  async request(request: ExchangeRequest): Promise<WholeReply> {
    this.#busy++;
    try {
      return await this.#deployment(request);
    } finally {
      this.#busy--;
    }
  }

  open(request: ExchangeRequest): Exchange {
    return request.halfClose || this.streams === undefined
      ? exchangeOver(this.request(request))
      : this.streams.open(request);
  }
}

/** An exchange whose reply comes in one piece. */
export function exchangeOver(reply: Promise<WholeReply>): Exchange {
  let given = false;
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new TransportError("aborted", "the exchange was aborted"));
  });
  aborted.catch(() => undefined);
  reply.catch(() => undefined);
  return {
    head: async () => (await Promise.race([reply, aborted])).head,
    async next() {
      const { body } = await Promise.race([reply, aborted]);
      if (given || body.length === 0) return undefined;
      given = true;
      return body;
    },
    write() {},
    halfClose() {},
    abort: () => abort(),
  };
}
