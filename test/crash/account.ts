/** Outcomes held against the plans that asked for them: what must be in the ledger, who must exist, how long sleeps lasted. */
import type { Done, Outcome, Recorded } from "./outcome.ts";
import type { Op, Plan } from "./plan.ts";

export interface Committed extends Recorded {
  readonly invocationId: string;
  /** How often its closure had to throw before. */
  readonly failures: number;
}

export interface Slept {
  readonly invocationId: string;
  readonly askedMs: number;
  /** Recorded right before the sleep, and right behind it. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Account {
  readonly committed: Committed[];
  readonly slept: Slept[];
  /** Every invocation that was asked for, by id: those of the jobs, their calls and their sends. */
  readonly outcomes: Map<string, Outcome>;
  readonly complaints: string[];
}

export function newAccount(): Account {
  return { committed: [], slept: [], outcomes: new Map(), complaints: [] };
}

type OutcomeOf = (invocationId: string) => Promise<Outcome>;

/** @param outcomeOf attaches to an invocation that somebody sent, and waits for its end */
export async function takeAccount(account: Account, plan: Plan, outcome: Outcome, outcomeOf: OutcomeOf): Promise<void> {
  const { invocationId, done } = outcome;
  if (account.outcomes.has(invocationId)) account.complaints.push(`${invocationId} stands for two invocations`);
  account.outcomes.set(invocationId, outcome);
  if (done.length !== plan.ops.length) account.complaints.push(`${invocationId} did ${done.length} operations`);
  for (const [index, op] of plan.ops.entries()) {
    const found = done[index];
    if (found?.kind === op.kind) await new Reading(account, invocationId, outcomeOf).read(op, found);
    else account.complaints.push(`${invocationId} answered ${JSON.stringify(found)} to ${JSON.stringify(op)}`);
  }
}

/** What the invocation that completes an awakeable is asked for. */
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

  /** @param done of the same kind as the operation */
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
    }
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
