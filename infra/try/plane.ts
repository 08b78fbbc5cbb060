/** The client by which the checks call the deployed control plane. */
import { setTimeout as sleep } from "node:timers/promises";
import type { InvocationBody, InvocationListBody } from "../../shared/api/contract/invocations.ts";
import type { SendBody } from "../../shared/api/wire/ingress.ts";
import type { TimedAnswer, AskApi } from "./api-client.ts";

const ENDED_WITHIN_MS = 90_000;
const LISTED_WITHIN_MS = 60_000;
const POLL_EVERY_MS = 250;
const TEXT_MAX_CHARACTERS = 300;

export class Plane {
  readonly ask: AskApi;
  readonly askAdmin: AskApi;
  /** Makes the keys of this run differ from those of an earlier run in the same table. */
  readonly run: string;

  constructor(ask: AskApi, askAdmin: AskApi, run: string) {
    this.ask = ask;
    this.askAdmin = askAdmin;
    this.run = run;
  }

  /** @param target `service/handler`, or `service/key/handler` @throws Error for any status but 200 */
  async call(target: string, input: unknown, headers: Readonly<Record<string, string>> = {}): Promise<TimedAnswer> {
    return must(200, `POST /${target}`, await this.ask(`/${target}`, { method: "POST", input, headers }));
  }

  /** @returns the id of the invocation @throws Error if it is not accepted */
  async send(target: string, input: unknown): Promise<string> {
    const path = `/${target}/send`;
    const { text } = must(202, `POST ${path}`, await this.ask(path, { method: "POST", input }));
    return (JSON.parse(text) as SendBody).invocationId;
  }

  /** @returns the final answer of the invocation, success or failure @throws Error if it does not end in time */
  async attach(id: string): Promise<TimedAnswer> {
    return await until(`${id} ends`, ENDED_WITHIN_MS, async () => {
      const answer = await this.ask(`/restate/invocation/${id}/attach`);
      // The ingress answers 504 to a wait that exceeds its time limit, and the client must then attach again.
      return answer.status === 504 ? undefined : answer;
    });
  }

  /** @throws Error if the invocation fails */
  async resultOf(id: string): Promise<unknown> {
    return JSON.parse(must(200, `attaching to ${id}`, await this.attach(id)).text) as unknown;
  }

  /** @throws Error if the invocation does not reach the status in time */
  async untilStatus(id: string, status: string): Promise<void> {
    await until(`${id} is ${status}`, ENDED_WITHIN_MS, async () => {
      const { text } = must(200, `GET /invocations/${id}`, await this.askAdmin(`/invocations/${id}`));
      return (JSON.parse(text) as InvocationBody).status === status ? true : undefined;
    });
  }

  /** Lists lag some seconds behind. */
  async untilListed(query: string, count: number): Promise<InvocationListBody["invocations"]> {
    const path = `/invocations?${query}`;
    return await until(`GET ${path} lists ${count}`, LISTED_WITHIN_MS, async () => {
      const { text } = must(200, `GET ${path}`, await this.askAdmin(path));
      const { invocations } = JSON.parse(text) as InvocationListBody;
      return invocations.length >= count ? invocations : undefined;
    });
  }
}

/** @throws Error with the server's answer */
export function must(status: number, what: string, answer: TimedAnswer): TimedAnswer {
  if (answer.status === status) return answer;
  throw new Error(`${what} was answered with ${answer.status}: ${answer.text.slice(0, TEXT_MAX_CHARACTERS)}`);
}

/** Polls until the probe returns a value. @throws Error after `withinMs` */
export async function until<T>(what: string, withinMs: number, probe: () => Promise<T | undefined>): Promise<T> {
  for (const endMs = performance.now() + withinMs; ; await sleep(POLL_EVERY_MS)) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error(`still not so after ${withinMs / 1000} s: ${what}`);
  }
}
