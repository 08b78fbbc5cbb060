/**
 * Compares each outcome with its plan, and collects what the rules check: the committed closures, the sleeps, the adds and all
 * invocations.
 */
import type { Answering, Counted, Done, Outcome, Recorded } from "./outcome.ts";
import { ADD_OPS, type Op, type Plan, WORKFLOW_OPS } from "./plan.ts";

export interface Committed extends Recorded {
  readonly invocationId: string;
  /** How often the closure throws before it succeeds. */
  readonly failures: number;
}

export interface Slept {
  readonly invocationId: string;
  readonly askedMs: number;
  /** Recorded right before the sleep, and right after it. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** The count that an add returned. The add held its key at least from `fromMs` to `toMs`. */
export interface Added {
  readonly invocationId: string;
  readonly key: string;
  readonly count: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Account {
  readonly committed: Committed[];
  readonly slept: Slept[];
  readonly added: Added[];
  /** The adds of one handler to one key, in the order in which the handler sent them. */
  readonly inOrder: { readonly key: string; readonly invocationIds: readonly string[] }[];
  /** Every invocation by id: those of the jobs, their calls and their sends. */
  readonly outcomes: Map<string, Outcome>;
  readonly complaints: string[];
}

export function newAccount(): Account {
  return { committed: [], slept: [], added: [], inOrder: [], outcomes: new Map(), complaints: [] };
}

type OutcomeOf = (invocationId: string) => Promise<Outcome>;

/** @param outcomeOf the function that attaches to a sent invocation, and returns its outcome when it has ended */
export async function takeAccount(account: Account, plan: Plan, outcome: Outcome, outcomeOf: OutcomeOf): Promise<void> {
  const { invocationId, done } = outcome;
  if (account.outcomes.has(invocationId)) account.complaints.push(`${invocationId} is the id of two invocations`);
  account.outcomes.set(invocationId, outcome);
  if (done.length !== plan.ops.length) account.complaints.push(`${invocationId} did ${done.length} operations`);
  for (const [index, op] of plan.ops.entries()) {
    const found = done[index];
    if (found?.kind === op.kind) await new Reading(account, invocationId, outcomeOf).read(op, found);
    else account.complaints.push(`${invocationId} answered ${JSON.stringify(found)} to ${JSON.stringify(op)}`);
  }
  if (plan.key !== undefined) noteAdd(account, plan.key, outcome as Counted);
}

function noteAdd({ added, complaints }: Account, asked: string, { invocationId, done, key, count }: Counted): void {
  if (key !== asked) complaints.push(`${invocationId} added to "${key}" instead of "${asked}"`);
  const times = done.flatMap((each) => (each.kind === "run" ? each.recorded.map(({ atMs }) => atMs) : []));
  added.push({ invocationId, key: asked, count, fromMs: Math.min(...times), toMs: Math.max(...times) });
}

/** The plan of the invocation that completes an awakeable. */
const COMPLETER_PLAN: Plan = { ops: [{ kind: "run", step: "complete" }] };

type DoneTo<Kind extends Op["kind"]> = Extract<Done, { kind: Kind }>;
type OpOf<Kind extends Op["kind"]> = Extract<Op, { kind: Kind }>;

class Reading {
  readonly #account: Account;
  readonly #invocationId: string;
  readonly #outcomeOf: OutcomeOf;

  constructor(account: Account, invocationId: string, outcomeOf: OutcomeOf) {
    this.#account = account;
    this.#invocationId = invocationId;
    this.#outcomeOf = outcomeOf;
  }

  /** @param done the record of the operation, which has the same kind as the operation */
  async read(op: Op, done: Done): Promise<void> {
    switch (op.kind) {
      case "run":
        return this.#committed([op.step], (done as DoneTo<"run">).recorded);
      case "failing-run":
        return this.#committed([op.step], (done as DoneTo<"failing-run">).recorded, op.failures);
      case "parallel":
        return this.#committed(op.steps, (done as DoneTo<"parallel">).recorded);
      case "sleep":
        return this.#slept(op, done as DoneTo<"sleep">);
      case "call":
        return await this.#took(op.plan, (done as DoneTo<"call">).outcome);
      case "send":
        return await this.#took(op.plan, await this.#outcomeOf((done as DoneTo<"send">).invocationId));
      case "awakeable":
        return await this.#awaited(op, done as DoneTo<"awakeable">);
      case "together": {
        const { outcome, recorded } = done as DoneTo<"together">;
        this.#committed([op.step], [recorded]);
        return await this.#took(op.plan, outcome);
      }
      case "adds":
        return await this.#added(op, done as DoneTo<"adds">);
      case "workflow":
        return await this.#voted(op, done as DoneTo<"workflow">);
    }
  }

  async #added({ key, sends }: OpOf<"adds">, { sent, outcome }: DoneTo<"adds">): Promise<void> {
    if (sent.length !== sends) this.#complain(`sent ${sent.length} adds instead of ${sends}`);
    const plan: Plan = { ops: ADD_OPS, key };
    for (const id of sent) await this.#took(plan, await this.#outcomeOf(id));
    await this.#took(plan, outcome);
    this.#account.inOrder.push({ key, invocationIds: [...sent, outcome.invocationId] });
  }

  async #voted(op: OpOf<"workflow">, { outcome, answerers, read }: DoneTo<"workflow">): Promise<void> {
    await this.#took({ ops: WORKFLOW_OPS }, outcome);
    await this.#took({ ops: [] }, read);
    if (read.step !== outcome.answer) this.#complain(`left "${read.step}" behind instead of "${outcome.answer}"`);
    if (answerers.length !== op.delaysMs.length) this.#complain(`was answered by ${answerers.length}`);
    const winners: string[] = [];
    for (const id of answerers) {
      const answering = (await this.#outcomeOf(id)) as Answering;
      await this.#took(COMPLETER_PLAN, answering);
      const [first] = answering.done as [DoneTo<"run">];
      if (answering.won) winners.push(first.recorded[0]!.nonce);
    }
    if (winners.join() !== outcome.answer) this.#complain(`got ${outcome.answer}, and ${winners.join()} won`);
  }

  #committed(steps: readonly string[], recorded: readonly Recorded[], failures = 0): void {
    const found = recorded.map(({ step }) => step);
    if (found.join() !== steps.join()) this.#complain(`recorded ${found.join()} instead of ${steps.join()}`);
    for (const each of recorded) {
      this.#account.committed.push({ ...each, invocationId: this.#invocationId, failures });
    }
  }

  #slept(op: OpOf<"sleep">, { before, after, uuids }: DoneTo<"sleep">): void {
    this.#committed([op.before, op.after], [before, after]);
    if (uuids[0] !== uuids[1])
      this.#complain(`drew ${uuids[0]} before a sleep and ${uuids[1]} on the replay behind it`);
    const [fromMs, toMs] = [before.atMs, after.atMs];
    this.#account.slept.push({ invocationId: this.#invocationId, askedMs: op.ms, fromMs, toMs });
  }

  async #awaited(op: OpOf<"awakeable">, { recorded, completer, nonce }: DoneTo<"awakeable">): Promise<void> {
    this.#committed([op.publish], [recorded]);
    const outcome = await this.#outcomeOf(completer);
    await this.#took(COMPLETER_PLAN, outcome);
    const [first] = outcome.done as [DoneTo<"run">];
    if (first.recorded[0]?.nonce !== nonce) this.#complain(`its awakeable brought ${nonce}, which was never sent`);
  }

  #took(plan: Plan, outcome: Outcome): Promise<void> {
    return takeAccount(this.#account, plan, outcome, this.#outcomeOf);
  }

  #complain(what: string): void {
    this.#account.complaints.push(`${this.#invocationId} ${what}`);
  }
}
