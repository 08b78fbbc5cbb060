/** A small SDK for scripted handlers: it replays or emits commands, suspends at awaits, and speaks the bytes of the protocol. */
import { type CommandName, COMMANDS } from "../../../shared/core/protocol/commands.ts";
import {
  EndMessage,
  ErrorMessage,
  ProposeRunCompletionMessage,
  CONTROL,
} from "../../../shared/core/protocol/control-messages.ts";
import { messageFrame, REQUESTED_ACK } from "../../../shared/core/protocol/frame.ts";
import type { MessageType } from "../../../shared/core/model/proto3.ts";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import {
  all,
  type Awaited,
  completion,
  Known,
  namedSignal,
  race,
  signal,
  TerminalError,
  type Tree,
} from "./script-awaits.ts";
import { settled } from "./script-result.ts";
import { awaitingOnFrame, NOTHING, suspensionFrame } from "./script-suspension.ts";
import type { LiveInput } from "./live-input.ts";
import type { Notification, ScriptJournal } from "./script-journal.ts";

const CANCEL = 1;
const encoder = new TextEncoder();

export type Handler = (ctx: ScriptContext) => Promise<string> | string;

/** Thrown when the handler must suspend; handlers must not catch it. */
export class Suspended extends Error {}

/** Fails the attempt, optionally with a delay of the retry, or with a behavior: 0 is retry, 1 is pause, 2 is fail. */
export class AttemptFails extends Error {
  readonly how: { readonly code?: number; readonly delayMs?: number; readonly behavior?: 0 | 1 | 2 };
  constructor(message: string, how: AttemptFails["how"] = {}) {
    super(message);
    this.how = how;
  }
}

export interface CallOptions {
  readonly idempotencyKey?: string;
  readonly service?: string;
  readonly key?: string;
  readonly scope?: string;
  readonly limitKey?: string;
  readonly headers?: readonly { readonly key: string; readonly value: string }[];
}

export class ScriptContext {
  readonly journal: ScriptJournal;
  /** The frames of the response so far. */
  readonly frames: Uint8Array[] = [];
  readonly #known = new Known();
  readonly #waiting: Notification[];
  readonly #calls: number[] = [];
  readonly #proposed = new Set<number>();
  readonly #live: LiveInput | undefined;
  readonly #seen: Notification[];
  #framesSent = 0;
  #commandIndex = 1;
  #completionId = 0;
  #signalIndex = 16;

  /** @param live the open side of the exchange, if it stays open */
  constructor(journal: ScriptJournal, live?: LiveInput) {
    this.journal = journal;
    this.#waiting = [...journal.notifications];
    this.#seen = [...journal.notifications];
    this.#live = live;
  }

  /** Sends the frames since the last call, if the exchange stays open. */
  flush(): void {
    this.#live?.send(this.frames.slice(this.#framesSent));
    if (this.#live !== undefined) this.#framesSent = this.frames.length;
  }

  get input(): string {
    return this.journal.input;
  }

  get id(): string {
    return this.journal.start.debugId;
  }

  /** Emits a command, or compares it with the command of the journal. */
  command<N extends CommandName>(name: N, message: object): void {
    const replayed = this.journal.commands[this.#commandIndex++];
    if (replayed === undefined) {
      const { code, type } = COMMANDS[name];
      this.frames.push(messageFrame(code, type as MessageType<object>, message));
    } else if (replayed.name !== name) {
      throw new AttemptFails(`${name} was ${replayed.name} before`, { code: 570 });
    }
  }

  run(name: string, closure: () => string | Promise<string>): Awaited<string> {
    const id = ++this.#completionId;
    this.command("Run", { resultCompletionId: id, name });
    return completion(id, [() => this.#propose(id, closure)]);
  }

  async #propose(id: number, closure: () => string | Promise<string>): Promise<void> {
    if (this.#proposed.has(id) || this.#seen.some(({ completionId }) => completionId === id)) return;
    this.#proposed.add(id);
    this.flush();
    const result = await settled(closure);
    const asksAck = this.#live !== undefined && this.journal.version >= 7 ? REQUESTED_ACK : 0;
    const { value, failure } = result;
    this.#live?.propose({
      completionId: id,
      ...(value !== undefined && { value: { content: value } }),
      ...(failure !== undefined && { failure }),
    } as Notification);
    this.frames.push(
      messageFrame(
        CONTROL.ProposeRunCompletion,
        ProposeRunCompletionMessage,
        { resultCompletionId: id, ...result },
        asksAck,
      ),
    );
  }

  sleep(untilMs: number): Awaited<string> {
    const id = ++this.#completionId;
    this.command("Sleep", { wakeUpTimeMs: untilMs, resultCompletionId: id });
    return completion(id);
  }

  /** Emits a command with the next completion id. */
  completable<N extends CommandName>(name: N, message: object): Awaited<string> {
    const id = ++this.#completionId;
    this.command(name, { ...message, resultCompletionId: id });
    return completion(id);
  }

  call(handler: string, input = "", options: CallOptions = {}): Awaited<string> {
    const { idempotencyKey, service = "S", key = "", scope, limitKey, headers = [] } = options;
    const idCompletion = ++this.#completionId;
    const id = ++this.#completionId;
    this.#calls.push(idCompletion);
    this.command("Call", {
      serviceName: service,
      key,
      handlerName: handler,
      parameter: encoder.encode(input),
      headers,
      idempotencyKey,
      scope,
      limitKey,
      invocationIdNotificationIdx: idCompletion,
      resultCompletionId: id,
    });
    return completion(id);
  }

  /** @returns an await of the id of the invocation */
  send(
    handler: string,
    input = "",
    {
      idempotencyKey,
      atMs = 0,
      service = "S",
      key = "",
      scope,
      limitKey,
      headers = [],
    }: CallOptions & { atMs?: number } = {},
  ) {
    const id = ++this.#completionId;
    this.command("OneWayCall", {
      serviceName: service,
      key,
      handlerName: handler,
      parameter: encoder.encode(input),
      invokeTimeMs: atMs,
      headers,
      idempotencyKey,
      scope,
      limitKey,
      invocationIdNotificationIdx: id,
    });
    return completion(id);
  }

  attach(invocationId: string): Awaited<string> {
    const id = ++this.#completionId;
    this.command("AttachInvocation", { invocationId, resultCompletionId: id });
    return completion(id);
  }

  output(invocationId: string): Awaited<string> {
    const id = ++this.#completionId;
    this.command("GetInvocationOutput", { invocationId, resultCompletionId: id });
    return completion(id);
  }

  awakeable(): { readonly id: string; readonly result: Awaited<string> } {
    const index = ++this.#signalIndex;
    return { id: encodeAwakeableId(this.journal.start.id, index), result: signal(index) };
  }

  resolveAwakeable(awakeableId: string, value: string): void {
    this.command("CompleteAwakeable", { awakeableId, value: { content: encoder.encode(value) } });
  }

  signal(name: string): Awaited<string> {
    return namedSignal(name);
  }

  sendSignal(targetInvocationId: string, signalName: string, value: string): void {
    this.command("SendSignal", { targetInvocationId, signalName, value: { content: encoder.encode(value) } });
  }

  cancel(targetInvocationId: string): void {
    this.command("SendSignal", { targetInvocationId, signalIndex: CANCEL, void: {} });
  }

  race<T>(...branches: Awaited<T>[]): Promise<T> {
    return this.get(race(...branches));
  }

  all<T>(...branches: Awaited<T>[]): Promise<readonly T[]> {
    return this.get(all(...branches));
  }

  /** Consumes one notification after the other until the await is decided; a CANCEL throws. */
  async get<T>(awaited: Awaited<T>): Promise<T> {
    for (;;) {
      const outcome = awaited.outcome(this.#known);
      if (outcome !== undefined) {
        for (const name of awaited.tree.namedSignals) this.#known.forget(`n${name}`);
        return outcome.read();
      }
      const next = this.#waiting.shift() ?? (await this.#comes(awaited));
      if (next === undefined) break;
      if (next.signalIndex === CANCEL) await this.#cancelled();
      this.#known.note(next);
    }
    this.#suspend(awaited.tree);
  }

  /** Executes the awaited runs. If the exchange stays open, the method then waits for the next notification. */
  async #comes({ runs, tree }: Pick<Awaited<unknown>, "runs" | "tree">): Promise<Notification | undefined> {
    for (const run of runs) await run();
    if (this.#live === undefined) return undefined;
    if (this.journal.version >= 7) this.frames.push(awaitingOnFrame(tree));
    this.flush();
    const next = await this.#live.next();
    if (next !== undefined) this.#seen.push(next);
    return next;
  }

  /** Waits for the ids of all calls before it cancels the calls: a replay has all ids and must emit the same commands. */
  async #cancelled(): Promise<never> {
    const idOf = (call: number) => this.#seen.find(({ completionId }) => completionId === call)?.invocationId;
    for (;;) {
      const untold = this.#calls.filter((call) => idOf(call) === undefined);
      if (untold.length === 0) break;
      const tree = { ...NOTHING, completions: untold, combinator: 1 };
      const next = await this.#comes({ runs: [], tree });
      if (next === undefined) this.#suspend(tree);
      this.#waiting.push(next);
    }
    const children = this.#calls.map((call) => ({ id: idOf(call) }));
    for (const { id } of children) if (id !== undefined) this.cancel(id);
    throw new TerminalError(409, "Cancelled");
  }

  #suspend(tree: Tree): never {
    this.frames.push(suspensionFrame(this.journal.version, tree));
    throw new Suspended();
  }
}

/**
 * Runs a handler over one journal.
 * @param live the open side of the exchange; the handler then sends the response as it runs
 * @returns the body of the response
 */
export async function answerOf(handler: Handler, journal: ScriptJournal, live?: LiveInput): Promise<Uint8Array> {
  const ctx = new ScriptContext(journal, live);
  try {
    const value = await handler(ctx);
    ctx.command("Output", { value: { content: encoder.encode(value) } });
    ctx.frames.push(messageFrame(CONTROL.End, EndMessage, {}));
  } catch (error) {
    if (error instanceof TerminalError) {
      ctx.command("Output", { failure: { code: error.code, message: error.message, metadata: [] } });
      ctx.frames.push(messageFrame(CONTROL.End, EndMessage, {}));
    } else if (!(error instanceof Suspended)) {
      ctx.frames.push(errorFrame(error));
    }
  }
  ctx.flush();
  return new Uint8Array(Buffer.concat(ctx.frames));
}

function errorFrame(error: unknown): Uint8Array {
  const { code = 500, delayMs, behavior = 0 } = error instanceof AttemptFails ? error.how : {};
  return messageFrame(CONTROL.Error, ErrorMessage, {
    code,
    message: error instanceof Error ? error.message : String(error),
    ...(delayMs !== undefined && { nextRetryDelayMs: BigInt(delayMs) }),
    behavior,
  });
}
