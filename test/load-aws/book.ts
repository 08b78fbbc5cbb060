/** The book of submissions and their outcomes: each submission is noted before it is sent, and again when it has ended. */
import type { Recorded } from "../crash/outcome.ts";
import type { Ended, LoadClient } from "./client.ts";
import type { Added, HandlerResult } from "./handlers/results.ts";

export interface Submission {
  readonly kind: string;
  readonly way: "call" | "send";
  readonly submittedAtMs: number;
  /** The length of the submission's sleep or delay. */
  readonly askedMs: number;
  invocationId?: string;
  endedAtMs?: number;
}

export interface CommittedStep extends Recorded {
  readonly invocationId: string;
}

export interface KeyedAdd extends Added {
  readonly object: string;
  readonly amount: number;
}

/** The longest time between two commits of an invocation, without the time for which it had to wait. */
export interface Still {
  readonly kind: string;
  readonly invocationId: string;
  readonly fromMs: number;
  readonly forMs: number;
}

export class Book {
  readonly submissions: Submission[] = [];
  readonly committed: CommittedStep[] = [];
  readonly added: KeyedAdd[] = [];
  /** Sends of one client to one key, in the order of their acceptance. */
  readonly inOrder: { readonly object: string; readonly ids: readonly string[] }[] = [];
  readonly known = new Set<string>();
  /** Invocations that an operator ended; they have no result that could name their steps. */
  readonly killed = new Set<string>();
  /** Invocations that were cancelled or killed. A schedule for them may be left; its wake has no effect. */
  readonly interrupted = new Set<string>();
  /** Invocations that an operator ended before their first attempt: no list contains them. */
  readonly vanished = new Set<string>();
  readonly complaints: string[] = [];
  readonly stills: Still[] = [];
  /** The stored bytes of each completed large invocation. */
  readonly largeBytes: number[] = [];
  readonly #client: LoadClient;

  constructor(client: LoadClient) {
    this.#client = client;
  }

  open(kind: string, way: "call" | "send", askedMs = 0): Submission {
    const submission: Submission = { kind, way, askedMs, submittedAtMs: Date.now() };
    this.submissions.push(submission);
    return submission;
  }

  /** Notes the id and the end of a submission. */
  close(submission: Submission, { invocationId }: Ended, endedAtMs = Date.now()): void {
    submission.invocationId = invocationId;
    submission.endedAtMs = endedAtMs;
    this.know(invocationId);
  }

  /** @returns open submissions that would have ended before that moment if work took no time */
  openSince(beforeMs: number): Submission[] {
    return this.submissions.filter(
      ({ endedAtMs, submittedAtMs, askedMs }) => endedAtMs === undefined && submittedAtMs + askedMs < beforeMs,
    );
  }

  know(invocationId: string): void {
    if (!invocationId.startsWith("inv_1")) this.complain(`"${invocationId}" is no id`);
    if (this.known.has(invocationId)) this.complain(`${invocationId} is the id of two invocations`);
    this.known.add(invocationId);
  }

  complain(what: string): void {
    this.complaints.push(what);
  }

  /** @returns the parsed result; undefined, with a complaint, if the invocation failed */
  told<T extends HandlerResult>(what: string, { invocationId, status, text }: Ended): T | undefined {
    if (status !== 200) {
      this.complain(`${what} ${invocationId} ended with ${status}: ${text}`);
      return undefined;
    }
    const told = JSON.parse(text) as T;
    if (told.invocationId !== invocationId) this.complain(`${what} ${invocationId} answered as ${told.invocationId}`);
    return told;
  }

  /** Notes the steps of an invocation and of all its children, and waits for the end of its sends. */
  async account(kind: string, told: HandlerResult, steps: readonly string[], fromMs: number, waits = 0): Promise<void> {
    const found = told.recorded.map(({ step }) => step);
    if (found.join() !== steps.join())
      this.complain(`${kind} ${told.invocationId} did ${found.join()}, not ${steps.join()}`);
    for (const recorded of told.recorded) this.committed.push({ ...recorded, invocationId: told.invocationId });
    if (told.slept !== undefined) this.#judgeSleep(told);
    this.#noteStill(kind, told, fromMs, waits);
    for (const child of told.children ?? []) {
      this.know(child.invocationId);
      await this.account(`${kind}'s call`, child, ["step 1"], told.recorded[0]!.atMs);
    }
    const [later, add] = told.sent ?? [];
    if (later !== undefined) await this.#accountSent(kind, later, told.recorded[0]!.atMs);
    if (add !== undefined) this.know(add);
  }

  async #accountSent(kind: string, id: string, fromMs: number): Promise<void> {
    this.know(id);
    const told = this.told(`${kind}'s send`, await this.#client.result(id));
    if (told !== undefined) await this.account(`${kind}'s send`, told, ["step 1"], fromMs, 1_500);
  }

  /** @param ended the end of an invocation that `know` has noted */
  async accountAdd(object: string, amount: number, ended: Ended, fromMs: number): Promise<void> {
    const added = this.told<Added>("an add", ended);
    if (added === undefined) return;
    this.added.push({ ...added, object, amount });
    await this.account("add", added, ["enter", "leave"], fromMs);
  }

  #judgeSleep({ invocationId, slept }: HandlerResult): void {
    const { askedMs, fromMs, toMs } = slept!;
    if (toMs - fromMs < askedMs) this.complain(`${invocationId} slept ${toMs - fromMs} ms instead of ${askedMs}`);
  }

  /** @param waits the time that the invocation may wait in each gap between two commits, besides its sleep */
  #noteStill(kind: string, { invocationId, recorded, slept }: HandlerResult, fromMs: number, waits: number): void {
    let lastMs = fromMs;
    let forMs = 0;
    let stillFromMs = fromMs;
    for (const { atMs } of recorded) {
      const isSleep = slept !== undefined && slept.fromMs === lastMs;
      const gapMs = atMs - lastMs - (isSleep ? slept.askedMs : waits);
      if (gapMs > forMs) [forMs, stillFromMs] = [gapMs, lastMs];
      lastMs = atMs;
    }
    this.stills.push({ kind, invocationId, fromMs: stillFromMs, forMs });
  }
}
