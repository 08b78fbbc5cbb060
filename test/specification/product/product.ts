/** The product as callers and operators meet it: operations become requests, and answers become the words of the specification. */
import type { HttpRequest } from "../../../shared/api/http/message.ts";
import { InProcessEndpoints } from "../../simulation/in-process-endpoints.ts";
import { MemoryQueue } from "../../simulation/memory-queue.ts";
import { MemoryTable } from "../../simulation/memory-table.ts";
import { MemoryTimers } from "../../simulation/memory-timers.ts";
import { PATIENCE_MS, PROMPT_MS } from "../model/apply.ts";
import { CODES } from "../model/codes.ts";
import { type Looking, type Observation, textOf } from "../model/observe.ts";
import type { Answer, Name, Operation, Target } from "../model/words.ts";
import { ExpiringTable } from "./expiring-table.ts";
import { handlerOf } from "./handlers.ts";
import { HistoryClock } from "./history-clock.ts";
import { type Expected, Ledger } from "./ledger.ts";
import { Machines } from "./deployed.ts";
import { type LocalProcess, openProcess, type Parts, type Sabotage } from "./process.ts";
import { catalogueOf } from "./listed-catalogue.ts";
import { requestOf } from "./requests.ts";
import { wordsOf } from "./answers.ts";

interface Listed {
  readonly id: string;
  readonly target_service_name: string;
  readonly target_service_key?: string;
  readonly target_handler_name: string;
  readonly status: string;
  readonly outcome?: string;
  readonly pinned_deployment_id?: string;
  readonly created_at: string;
}

interface Entry {
  readonly index: number;
  readonly type: string;
}

const FORGOTTEN = JSON.stringify({ status: 404 });
/** The time that a process takes at most to stop. */
const STOP_MAX_MS = 1_000;

export class Product {
  readonly #clock = new HistoryClock();
  readonly #ledger = new Ledger();
  readonly #machines = new Machines((uri) => handlerOf(this.#ledger, { uri, nowMs: () => this.#clock.nowMs() }));
  readonly #parts: Parts;
  readonly #sabotage: Sabotage | undefined;
  readonly #answers: (Answer | undefined)[] = [];
  #process: LocalProcess | undefined;
  readonly #results = new Map<string, string>();
  #callers = new AbortController();
  /** When the last operation began: what was accepted before has its name, or never gets one. */
  #sinceMs = 0;
  #born = 0;
  #listed: readonly Listed[] = [];

  constructor(sabotage: Sabotage | undefined) {
    const clock = this.#clock;
    const queue = new MemoryQueue(clock);
    this.#parts = {
      clock,
      table: new ExpiringTable(),
      meta: new MemoryTable(),
      queue,
      timers: new MemoryTimers(clock, queue),
      endpoints: new InProcessEndpoints(this.#machines.deployment),
    };
    this.#sabotage = sabotage;
  }

  get nowMs(): number {
    return this.#clock.nowMs();
  }

  async open(): Promise<void> {
    this.#process = await this.#while(openProcess(this.#parts, ++this.#born, this.#sabotage));
  }

  /** Does an operation and lets the time pass that it gets. */
  async do(operation: Operation): Promise<void> {
    this.#sinceMs = this.nowMs;
    const untilMs = this.nowMs + (operation.do === "wait" ? operation.ms : PROMPT_MS);
    if (operation.do === "reopen") await this.#reopen(operation.how);
    else if (operation.do !== "wait") await this.#ask(operation);
    else if (operation.ms > PATIENCE_MS) this.#hangUp();
    await this.#pass(untilMs);
  }

  /**
   * Asks for everything that can be seen.
   * @param expected the names of invocations that may exist. Of the others, a list may still contain those that have been
   *   forgotten, until their items are removed; every other question says that they do not exist.
   */
  async observe({ keys, atCatalogue }: Looking, expected: Expected): Promise<Observation> {
    await this.#nameNew(expected);
    const seen: Record<string, string> = atCatalogue ? await catalogueOf((path) => this.#read(path), this.#ledger) : {};
    for (const { id, status, outcome, pinned_deployment_id: pin } of this.#listed) {
      const name = this.#ledger.nameOf(id) ?? `without a name: ${id}`;
      if (!expected.has(name) && status === "completed") {
        this.#results.delete(name);
        if ((await this.#resultOf(name, id)) === FORGOTTEN) continue;
      }
      seen[`invocation ${name}`] = status === "completed" ? (outcome ?? "") : status;
      if (status !== "completed" && pin !== undefined) seen[`deployment of ${name}`] = this.#ledger.deploymentName(pin);
      if (status !== "completed") continue;
      seen[`result of ${name}`] = await this.#resultOf(name, id);
    }
    for (const key of keys) {
      const [service, one] = key.split("/") as [string, string];
      const response = await this.#while(this.#process!.admin(get(`/services/${service}/state`, `object_key=${one}`)));
      // The service may not be registered any more.
      if (response.status === 404) continue;
      const { state } = JSON.parse(new TextDecoder().decode(response.body)) as {
        state: Record<string, { utf8: string }>;
      };
      const values = Object.fromEntries(Object.entries(state).map(([name, { utf8 }]) => [name, utf8]));
      if (Object.keys(values).length > 0) seen[`state of ${key}`] = textOf(values);
    }
    for (const [at, answer] of this.#answers.entries())
      seen[`answer ${at + 1}`] = answer === undefined ? "none yet" : JSON.stringify(answer);
    return seen;
  }

  /** @returns the name that an invocation has here, if it is another one */
  otherNameOf(name: Name): Name | undefined {
    return this.#ledger.otherNameOf(name);
  }

  /** A result does not change: it is asked for once in each life of the process, and after each long wait. */
  async #resultOf(name: string, id: string): Promise<string> {
    const known = this.#results.get(name);
    if (known !== undefined) return known;
    const response = await this.#while(this.#process!.ingress(get(`/restate/invocation/${id}/output`)));
    const result = JSON.stringify(wordsOf({ do: "output", of: name }, response, this.#ledger));
    this.#results.set(name, result);
    return result;
  }

  /** Forgets the answers so far, which the history does not compare. */
  forgetAnswers(): void {
    this.#answers.length = 0;
  }

  close(): void {
    this.#process?.crash();
  }

  async #read(path: string): Promise<string> {
    const { body } = await this.#while(this.#process!.admin(get(path)));
    return new TextDecoder().decode(body);
  }

  /** The index of the last entry of the first steps of an invocation; 1 if it has no journal any more. */
  async #lastEntryOf(of: Name, steps: number): Promise<number> {
    const text = await this.#read(`/invocations/${this.#ledger.idOf(of)}`);
    const { entries = [] } = JSON.parse(text) as { entries?: Entry[] };
    const commands = entries.filter(({ type }) => type.startsWith("Command"));
    return commands[this.#ledger.commandsBefore(of, steps) ?? 0]?.index ?? 1;
  }

  async #ask(operation: Operation): Promise<void> {
    const keeps = operation.do === "restart" ? (operation.keeps ?? 0) : 0;
    const from = operation.do === "restart" && keeps > 0 ? await this.#lastEntryOf(operation.of, keeps) : 0;
    const { api, request, deploys } = requestOf(operation, this.#ledger, from);
    if (deploys !== undefined) this.#machines.deploy(deploys.uri, CODES[deploys.code]);
    const at = this.#answers.push(undefined) - 1;
    const process = this.#process!;
    const { signal } = this.#callers;
    void process[api]({ ...request, signal }).then((response) => {
      if (!signal.aborted) this.#answers[at] = wordsOf(operation, response, this.#ledger);
    });
  }

  #hangUp(): void {
    this.#results.clear();
    this.#callers.abort();
    this.#callers = new AbortController();
    for (const [at, answer] of this.#answers.entries()) if (answer === undefined) this.#answers[at] = { status: 0 };
  }

  async #reopen(how: "stop" | "crash"): Promise<void> {
    const former = this.#process!;
    this.#process = undefined;
    this.#hangUp();
    if (how === "crash") former.crash();
    else await this.#stopped(former.stop());
    await this.open();
  }

  async #stopped(stop: Promise<void>): Promise<void> {
    let isOver = false;
    void stop.then(() => (isOver = true));
    const untilMs = this.nowMs + STOP_MAX_MS;
    do await this.#breathe();
    while (!isOver && this.#clock.jump(untilMs));
    await stop;
  }

  /** Gives the expected names to new invocations: first to the children of those with names, then by target. */
  async #nameNew(expected: Expected): Promise<void> {
    this.#listed = await this.#list();
    const created = new Map(this.#listed.map(({ id, created_at: at }) => [id, at]));
    this.#ledger.learn(created, expected);
    await this.#showOld(expected);
    // A handler may ask for its own invocation, which is then a child of itself: the caller began first.
    const inOrder = this.#listed.toSorted((a, b) => this.#ledger.placeOf(a.id) - this.#ledger.placeOf(b.id));
    for (const mayBeChild of [false, true])
      for (const one of inOrder) {
        const { id } = one;
        if (Date.parse(one.created_at) < this.#sinceMs) continue;
        if (this.#ledger.nameOf(id) !== undefined || (!mayBeChild && this.#ledger.isChildOfUnnamed(id))) continue;
        const fitting = [...expected].find(([name, target]) => !this.#ledger.knows(name) && isTargetOf(target, one));
        if (fitting === undefined) continue;
        this.#ledger.bind(fitting[0], id);
        this.#ledger.learn(created, expected);
      }
  }

  /** A list of all ends after a month without an acceptance. What is older is looked at by its id. */
  async #showOld(expected: Expected): Promise<void> {
    const listed = new Set(this.#listed.map(({ id }) => id));
    for (const name of expected.keys()) {
      const id = this.#ledger.idOf(name);
      if (listed.has(id) || !this.#ledger.knows(name)) continue;
      const { status, body } = await this.#while(this.#process!.admin(get(`/invocations/${id}`)));
      if (status === 200) this.#listed = [...this.#listed, JSON.parse(new TextDecoder().decode(body)) as Listed];
    }
  }

  /** Reads all pages: a page may be empty although more follow. */
  async #list(): Promise<readonly Listed[]> {
    const all: Listed[] = [];
    for (let after = ""; ;) {
      const response = await this.#while(this.#process!.admin(get("/invocations", `limit=500${after}`)));
      const text = new TextDecoder().decode(response.body);
      if (response.status !== 200) throw new Error(`the list is refused: ${text}`);
      const { invocations, next } = JSON.parse(text) as { invocations: Listed[]; next?: string };
      all.push(...invocations);
      if (next === undefined) return all;
      after = `&after=${encodeURIComponent(next)}`;
    }
  }

  /** Lets everything run until this moment. */
  async #pass(untilMs: number): Promise<void> {
    do await this.#breathe();
    while (this.#clock.jump(untilMs));
    await this.#breathe();
  }

  /** Waits for an answer that takes none of the history's time. */
  async #while<T>(answer: Promise<T>): Promise<T> {
    let isOver = false;
    void answer.finally(() => (isOver = true)).catch(() => undefined);
    while (!isOver) await this.#breathe();
    return await answer;
  }

  async #breathe(): Promise<void> {
    do await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#parts.endpoints.busy > 0);
  }
}

function isTargetOf({ service, key, handler }: Target, listed: Listed): boolean {
  return (
    listed.target_service_name === service &&
    listed.target_service_key === key &&
    listed.target_handler_name === handler
  );
}

function get(path: string, query = ""): HttpRequest {
  return { method: "GET", path, query, headers: {}, body: new Uint8Array(0) };
}
