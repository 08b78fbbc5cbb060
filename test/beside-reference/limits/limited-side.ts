/** One side of the comparison: a server with the handlers that wait for orders, and the acts of clients and operators on it. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, openSide, type Server, type Side } from "../side.ts";
import type { Act, NewJob } from "./acts.ts";
import { LOADER, limitedServices, Orders, WORK } from "./handlers.ts";
import type { Job, Status } from "./model.ts";

/** Ten times what a change takes on a busy machine. */
export const SETTLED_WITHIN_MS = Number(process.env["BESIDE_GUARD_MS"] ?? 60_000);
const LOOK_EVERY_MS = 15;

interface ShownRule {
  readonly pattern: string;
  readonly version: number;
  readonly last_modified_millis_since_epoch: number;
}

interface Sent {
  readonly invocationId: string;
}

export class LimitedSide {
  readonly side: Side;
  readonly orders: Orders;
  /** How long a look waits for what should be. */
  settledWithinMs = SETTLED_WITHIN_MS;
  readonly #ids = new Map<string, string>();
  /** The versions of the rules by their patterns. */
  readonly #versions = new Map<string, number>();

  private constructor(side: Side, orders: Orders) {
    this.side = side;
    this.orders = orders;
  }

  static async open(name: "ours" | "theirs", startOn: (dir: string) => Promise<Server>): Promise<LimitedSide> {
    const orders = new Orders();
    return new LimitedSide(await openSide(name, startOn, (kind) => limitedServices(kind, orders)), orders);
  }

  idOf(name: string): string {
    return this.#ids.get(name) ?? "inv_unknown";
  }

  /**
   * @returns the answers that both servers should give alike
   * @throws Error if a server refuses a rule or an invocation: no look would ever see what should be
   */
  async act(act: Act, before: readonly Job[]): Promise<readonly unknown[]> {
    switch (act.do) {
      case "send":
        return act.by === "handler" ? await this.#load(act.jobs) : await this.#sendAll(act.jobs);
      case "end":
      case "wait":
      case "fail":
        this.orders.give(act.name, { do: act.do });
        return [];
      case "call":
        this.orders.give(act.name, act);
        return [];
      case "resolve":
        return [await this.#resolve(before.find(({ name }) => name === act.name)!)];
      case "resume":
      case "kill":
      case "cancel":
        return [done((await this.side.admin("PATCH", `/invocations/${this.idOf(act.name)}/${act.do}`)).status)];
      case "rule": {
        const { pattern, concurrency, disabled } = act.rule;
        const limits = concurrency === undefined ? {} : { concurrency };
        const answer = await this.side.admin("PUT", "/limits/rules", [{ pattern, limits, disabled }]);
        return [this.#shownRule(this.#accepted(`the rule of ${pattern}`, answer, 200))];
      }
      case "unrule": {
        const answer = await this.side.admin("POST", "/limits/rules/bulk-delete", [{ pattern: act.pattern }]);
        this.#versions.delete(act.pattern);
        return [this.#accepted(`the end of the rule of ${act.pattern}`, answer, 200)];
      }
    }
  }

  /** The version of a new rule is a number of the server. Changes count up from it. */
  #shownRule(text: string): unknown {
    const [{ version, last_modified_millis_since_epoch: _moment, ...rest }] = JSON.parse(text) as [ShownRule];
    const before = this.#versions.get(rest.pattern);
    this.#versions.set(rest.pattern, version);
    return { ...rest, counted: before === undefined ? "new" : version - before };
  }

  /** @returns the text of the answer @throws Error if the answer has another status */
  #accepted(asked: string, { status, text }: Answer, expected: number): string {
    if (status === expected) return text;
    throw new Error(`${this.side.name} answered ${asked} with ${status}, not ${expected}: ${text}`);
  }

  async #sendAll(jobs: readonly NewJob[]): Promise<readonly []> {
    for (const { name, kind, scope, limitKey, handler } of jobs) {
      const headers = limitKey === undefined ? {} : { "x-restate-limit-key": limitKey };
      const answer = await this.side.post(`/restate/scope/${scope}/send/${WORK[kind]}/${handler}`, name, headers);
      const { invocationId } = JSON.parse(this.#accepted(`the send of ${name}`, answer, 202)) as Sent;
      this.#ids.set(name, invocationId);
    }
    return [];
  }

  async #load(jobs: readonly NewJob[]): Promise<readonly []> {
    const ids = this.#accepted("the sends of a handler", await this.side.post(`/${LOADER}/load`, jobs), 200);
    for (const [at, id] of (JSON.parse(ids) as string[]).entries()) this.#ids.set(jobs[at]!.name, id);
    return [];
  }

  async #resolve({ name, awakeables }: Job): Promise<number> {
    const id = await this.orders.awakeableOf(name, awakeables);
    return (await this.side.post(`/restate/awakeables/${id}/resolve`, null)).status;
  }

  /** @returns the result of each that has returned */
  async results(jobs: readonly Job[]): Promise<Readonly<Record<string, readonly unknown[]>>> {
    const returned = jobs.filter(({ hasReturned }) => hasReturned);
    const results = await Promise.all(
      returned.map(async ({ name }) => {
        const { status, text } = await this.side.get(`/restate/invocation/${this.idOf(name)}/output`);
        return [name, [status, text]] as const;
      }),
    );
    return Object.fromEntries(results);
  }

  /** Waits until the invocations look as expected. @returns how they look then, or at the end of the time */
  async settle(expected: readonly Job[]): Promise<Readonly<Record<string, string>>> {
    const deadlineMs = performance.now() + this.settledWithinMs;
    for (;;) {
      const seen = await this.statuses(expected);
      if (expected.every(({ name, status }) => seen[name] === status) || performance.now() > deadlineMs) return seen;
      await sleep(LOOK_EVERY_MS);
    }
  }

  async statuses(expected: readonly Job[]): Promise<Readonly<Record<string, string>>> {
    await this.#findChildren(expected);
    const ids = expected.flatMap(({ name }) => this.#ids.get(name) ?? []);
    if (ids.length === 0) return {};
    const list = ids.map((id) => `'${id}'`).join(", ");
    const rows = await this.side.query(`select id, status from sys_invocation where id in (${list})`);
    const byId = new Map(rows.map(({ id, status }) => [String(id), String(status)]));
    return Object.fromEntries(
      expected.map((job) => [job.name, plainStatus(byId.get(this.#ids.get(job.name) ?? ""), job.status)]),
    );
  }

  /** A call has no answer that names the called invocation while it runs. */
  async #findChildren(jobs: readonly Job[]): Promise<void> {
    const unknown = jobs.filter(({ name, caller }) => caller !== undefined && !this.#ids.has(name));
    for (const { name, caller } of unknown) {
      const by = `invoked_by_id = '${this.idOf(caller!)}'`;
      const rows = await this.side.query(`select id from sys_invocation where ${by} order by created_at desc limit 1`);
      if (rows.length > 0 && ![...this.#ids.values()].includes(String(rows[0]!["id"])))
        this.#ids.set(name, String(rows[0]!["id"]));
    }
  }
}

/** Both servers have words of their own for one that waits, and the reference calls one that backs off `ready`, too. */
function plainStatus(status: string | undefined, expected: Status): string {
  if (status === undefined || status === "completed") return "ended";
  if (status !== "pending" && status !== "ready") return status;
  return expected === "backing-off" ? "backing-off" : "waiting";
}

/** Whether an order was carried out at once (200) or noted (202) may depend on where the invocation waits at that moment. */
function done(status: number): number {
  return status === 202 ? 200 : status;
}
