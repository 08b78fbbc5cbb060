/** The healthy neighbour's callers: they call all the time, directly and through the queue, and measure each wait. */
import { setTimeout as pause } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "../patience.ts";
import type { Site } from "./attack.ts";
import type { ReportingProcess } from "./reporting-process.ts";
import { Waits } from "./waits.ts";
import { fetch } from "../harness/local/admin-access.ts";

const DIRECT_EVERY_MS = 100;
const QUEUED_EVERY_MS = 250;
const POLL_EVERY_MS = 20;
/** The most open calls of a kind. */
const OPEN_MAX = 20;
const JSON_TYPE = { "content-type": "application/json" };

export class Neighbour {
  readonly direct = new Waits();
  /** The times from a send to its effect, and the times of calls that sleep. */
  readonly queued = new Waits();
  readonly health = new Waits();
  /** The id of each accepted send, by the number that the send gives to the handler `note`. */
  readonly sent = new Map<number, string>();
  /** The numbers of sends with a visible effect. */
  readonly noted = new Set<number>();
  readonly #site: Site;
  readonly #end = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #awaited = new Map<number, () => void>();
  #number = 0;

  constructor(site: Site, deployment: ReportingProcess) {
    this.#site = site;
    deployment.onMessage((message) => {
      const { noted } = message as { noted: number };
      this.noted.add(noted);
      this.#awaited.get(noted)?.();
    });
  }

  /** Starts all kinds of calls at their intervals, and measures how long each takes. */
  startCalling(): void {
    const every = (ms: number, waits: Waits, call: () => Promise<unknown>): void => {
      // Without a bound, the calls of a slow machine would pile up, and wait for each other.
      this.#timers.push(setInterval(() => waits.open < OPEN_MAX && void waits.measure(call), ms));
    };
    every(DIRECT_EVERY_MS, this.direct, () => this.plain());
    every(DIRECT_EVERY_MS, this.health, () => this.#ask(`${this.#site.adminUri}/health`));
    every(QUEUED_EVERY_MS, this.queued, () => this.note());
    every(QUEUED_EVERY_MS, this.queued, () => this.#call("nap"));
  }

  /** Starts no more calls, and waits for the open ones. A call without an answer in time has failed. */
  async stopCalling(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const all = [this.direct, this.queued, this.health];
    for (const untilMs = Date.now() + SEEN_WITHIN_MS; Date.now() < untilMs; await pause(POLL_EVERY_MS))
      if (all.every(({ open }) => open === 0)) break;
    for (const waits of all) waits.close();
    this.#end.abort();
  }

  async plain(): Promise<void> {
    const text = await this.#call("plain", `"hello"`);
    if (text !== `"hello"`) throw new Error(`plain was answered with ${text}`);
  }

  /** Resolves when the effect of a send is visible. */
  async note(): Promise<void> {
    const number = ++this.#number;
    const effect = new Promise<void>((resolve) => this.#awaited.set(number, resolve));
    const text = await this.#call("note/send", String(number));
    this.sent.set(number, (JSON.parse(text) as { invocationId: string }).invocationId);
    await effect;
  }

  async #call(handler: string, body?: string): Promise<string> {
    const uri = `${this.#site.ingressUri}/Good/${handler}`;
    return await this.#ask(uri, { method: "POST", ...(body !== undefined && { headers: JSON_TYPE, body }) });
  }

  async #ask(uri: string, init: RequestInit = {}): Promise<string> {
    const response = await fetch(uri, { ...init, signal: this.#end.signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`${uri} was answered with ${response.status}: ${text.slice(0, 200)}`);
    return text;
  }
}
