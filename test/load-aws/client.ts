/** A client that repeats each interrupted request, with its idempotency key if it has one. */
import type { ApiRequest, ApiResponse } from "../../localstack/signed-request.mjs";
import { pause, type ControlPlane, type SentInvocation } from "../e2e-aws/control-plane.ts";

export interface Ended {
  readonly invocationId: string;
  readonly status: number;
  readonly text: string;
  /** Whether the client repeated the request: an earlier one may then have succeeded although its answer was lost. */
  readonly wasAskedAgain: boolean;
}

interface Answered extends ApiResponse {
  readonly wasAskedAgain: boolean;
}

type Asking = (signal: AbortSignal) => Promise<ApiResponse>;

const ASK_AGAIN_AFTER_MS = 150;
const LOOK_MIN_MS = 500;
const LOOK_MAX_MS = 8_000;
/** Longer than any limit of a gateway or a function, so no answer can come any more. */
const GIVE_UP_AFTER_MS = 60_000;
/** Each open request occupies a process of the ingress, and a machine with two cores starts few processes in a second. */
const REQUESTS_MAX = 14;
/** One wait in this many is an attach. The others poll, which occupies no function. */
const ATTACH_ONE_IN = 4;
/** Statuses of a gateway or a function that is full, stopping or dead: the outcome of the request is unknown. */
const AGAIN = new Set([429, 502, 503]);
const NOT_READY = 470;

export class LoadClient {
  readonly #plane: ControlPlane;
  readonly #untilMs: number;
  /** The number of repeated requests, by the status that caused the repetition; 0 stands for a broken connection. */
  readonly askedAgain = new Map<number, number>();
  /** Repeated calls without a key: the outcome of the first is unknown. */
  unkeyedAgain = 0;
  /** Requests without any answer, and the moment at which each was given up. */
  readonly unanswered: { readonly what: string; readonly atMs: number }[] = [];
  /** Requests that wait for an answer, and since when. */
  readonly asking = new Map<symbol, { readonly what: string; readonly sinceMs: number }>();
  /** Polls that came too early. */
  looked = 0;
  readonly #turns: (() => void)[] = [];
  #free = REQUESTS_MAX;

  constructor(plane: ControlPlane, untilMs: number) {
    this.#plane = plane;
    this.#untilMs = untilMs;
  }

  /** @returns the end: a result or a failure */
  async call(target: string, input: unknown, key?: string): Promise<Ended> {
    const answer = await this.#ask(postOf(`/${target}`, input, key), key === undefined);
    const invocationId = String(answer.headers["x-restate-id"]);
    const { status, text, wasAskedAgain } = answer;
    if (status === 504) return { ...(await this.result(invocationId)), wasAskedAgain };
    return { invocationId, status, text, wasAskedAgain };
  }

  /**
   * @returns the id
   * @throws Error if the send was refused
   */
  async send(target: string, input: unknown, key: string | undefined, query = ""): Promise<string> {
    const { status, text } = await this.#ask(postOf(`/${target}/send${query}`, input, key));
    if (status !== 202 && status !== 200) throw new Error(`the send to ${target} was answered with ${status}: ${text}`);
    return (JSON.parse(text) as SentInvocation).invocationId;
  }

  /** Waits for the end of an invocation, either in an attach request or by polling. */
  async result(invocationId: string): Promise<Ended> {
    const attaches = Math.random() * ATTACH_ONE_IN < 1;
    const path = `/restate/invocation/${invocationId}/${attaches ? "attach" : "output"}`;
    for (let lookMs = LOOK_MIN_MS; ; lookMs = Math.min(LOOK_MAX_MS, lookMs * 2)) {
      const { status, text } = await this.#ask({ path });
      if (status !== 504 && status !== NOT_READY) return { invocationId, status, text, wasAskedAgain: false };
      this.looked += 1;
      await pause(attaches ? ASK_AGAIN_AFTER_MS : lookMs);
    }
  }

  async post(path: string, body: string): Promise<ApiResponse> {
    return await this.#ask({ method: "POST", path, body });
  }

  /** The signed admin API. */
  async admin(request: ApiRequest): Promise<Answered> {
    return await this.#insist(
      (signal) => this.#plane.askAdmin({ ...request, signal }),
      `${request.method ?? "GET"} ${request.path}`,
    );
  }

  async #ask(request: ApiRequest, isUnkeyed = false): Promise<Answered> {
    const what = `${request.method ?? "GET"} ${request.path}`;
    return await this.#insist((signal) => this.#plane.ask({ ...request, signal }), what, isUnkeyed);
  }

  async #insist(ask: Asking, what: string, isUnkeyed = false): Promise<Answered> {
    for (let wasAskedAgain = false; ; wasAskedAgain = true) {
      const answer = await this.#inTurn(ask, what);
      if (answer !== undefined && isAnswer(answer)) return { ...answer, wasAskedAgain };
      const status = answer?.status ?? 0;
      this.askedAgain.set(status, (this.askedAgain.get(status) ?? 0) + 1);
      if (isUnkeyed) this.unkeyedAgain += 1;
      if (Date.now() > this.#untilMs) throw new Error(`${what} has no answer but ${status}: ${answer?.text}`);
      await pause(ASK_AGAIN_AFTER_MS);
    }
  }

  /** @returns the response; undefined if the connection broke or no response came in time */
  async #inTurn(ask: Asking, what: string): Promise<ApiResponse | undefined> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#turns.push(resolve));
    else this.#free -= 1;
    const [asked, signal] = [Symbol(), AbortSignal.timeout(GIVE_UP_AFTER_MS)];
    this.asking.set(asked, { what, sinceMs: Date.now() });
    try {
      return await ask(signal).catch(() => undefined);
    } finally {
      this.asking.delete(asked);
      if (signal.aborted) this.unanswered.push({ what, atMs: Date.now() });
      const next = this.#turns.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** A 504 without an invocation id comes from the gateway. */
function isAnswer({ status, headers }: ApiResponse): boolean {
  if (status === 504) return headers["x-restate-id"] !== undefined;
  return !AGAIN.has(status);
}

function postOf(path: string, input: unknown, key: string | undefined): ApiRequest {
  const headers = {
    ...(input !== undefined && { "content-type": "application/json" }),
    ...(key !== undefined && { "idempotency-key": key }),
  };
  return { method: "POST", path, headers, body: input === undefined ? "" : JSON.stringify(input) };
}
