/** The handlers of all deployments: one handler that does the steps of the program in its input. */
import { TerminalError, completion } from "../../harness/engine/script-awaits.ts";
import { AttemptFails, type Handler, type ScriptContext } from "../../harness/engine/script-context.ts";
import { completePromise, getPromise, peekPromise, ScriptState } from "../../harness/engine/script-state.ts";
import { ALREADY_RUN } from "../model/programs.ts";
import type { Program, Step, Target } from "../model/words.ts";
import type { Ledger } from "./ledger.ts";

const DONE = "done";
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The machine of a deployment. */
interface Machine {
  readonly uri: string;
  readonly nowMs: () => number;
}

export function handlerOf(ledger: Ledger, machine: Machine): Handler {
  return async (ctx) => {
    ledger.noteBegun(ctx.id);
    const program = JSON.parse(ctx.input) as Program;
    return JSON.stringify(await new Run(ctx, program, ledger, machine).play());
  };
}

class Run {
  readonly #ctx: ScriptContext;
  readonly #program: Program;
  readonly #ledger: Ledger;
  readonly #machine: Machine;
  readonly #state: ScriptState;
  /** The index of the next command in the journal. */
  #next = 1;

  constructor(ctx: ScriptContext, program: Program, ledger: Ledger, machine: Machine) {
    this.#ctx = ctx;
    this.#program = program;
    this.#ledger = ledger;
    this.#machine = machine;
    const emit = ctx.command.bind(ctx);
    ctx.command = (name, message) => {
      this.#next++;
      emit(name, message);
    };
    this.#state = new ScriptState(ctx);
  }

  /** The seed of random numbers differs from life to life. */
  get #life(): string {
    return `${this.#ctx.id} ${this.#ctx.journal.start.randomSeed}`;
  }

  async play(): Promise<readonly unknown[]> {
    const { steps, catches, fails } = this.#program;
    const given: unknown[] = [];
    for (const [at, step] of steps.entries()) {
      this.#ledger.noteCommands(this.#ctx.id, at, this.#next - 1);
      try {
        given.push(await this.#do(step, at));
      } catch (error) {
        if (!catches || !(error instanceof TerminalError)) throw error;
        given.push(`failed ${error.code}`);
      }
    }
    this.#ledger.noteCommands(this.#ctx.id, steps.length, this.#next - 1);
    if (fails !== undefined) throw new TerminalError(fails, "it fails");
    return given;
  }

  async #do(step: Step, at: number): Promise<unknown> {
    const ctx = this.#ctx;
    switch (step.do) {
      case "set":
        this.#state.set(step.name, step.value);
        return DONE;
      case "clear":
        this.#state.clear(step.name);
        return DONE;
      case "get":
        return this.#get(step.name);
      case "sleep":
        await ctx.get(ctx.sleep(this.#machine.nowMs() + step.ms));
        return DONE;
      case "stumble":
        await ctx.get(ctx.run(`step ${at}`, () => this.#stumble(step, at)));
        return DONE;
      case "where":
        return await ctx.get(ctx.run(`step ${at}`, () => this.#machine.uri));
      case "call":
      case "send":
        return await this.#start(step, at);
      case "awakeable": {
        const { id, result } = ctx.awakeable();
        this.#ledger.noteAwakeable(ctx.id, at, id);
        return await ctx.get(result);
      }
      case "hear":
        return await ctx.get(ctx.signal(step.signal));
      case "tell":
        ctx.sendSignal(this.#ledger.idOf(step.of), step.signal, step.value);
        return DONE;
      case "attach":
        return JSON.parse(await ctx.get(ctx.attach(this.#ledger.idOf(step.of))));
      case "promise":
        return await ctx.get(getPromise(ctx, step.name));
      case "peek": {
        const found = await ctx.get(peekPromise(ctx, step.name));
        return found === "" ? null : found;
      }
      case "keep":
        await ctx.get(completePromise(ctx, step.name, step.value));
        return DONE;
    }
  }

  /** A replay takes the value from the journal. */
  #get(name: string): string | null {
    const recorded = this.#ctx.journal.commands[this.#next];
    const found = this.#state.get(name) ?? null;
    if (recorded?.name !== "GetEagerState") return found;
    const { value } = recorded.message;
    return value === undefined ? null : decoder.decode(value.content);
  }

  #stumble({ times, waitMs }: Extract<Step, { do: "stumble" }>, at: number): string {
    if (this.#ledger.stumbles(this.#life, at) > times) return DONE;
    throw new AttemptFails("it stumbles", { delayMs: waitMs });
  }

  async #start(step: Extract<Step, { do: "call" | "send" }>, at: number): Promise<unknown> {
    const ctx = this.#ctx;
    const input = JSON.stringify(step.program);
    const { handler, service, key } = step.target;
    const to = { service, ...(key !== undefined && { key }) };
    if (step.do === "send") {
      const delayed = step.delayMs > 0 ? { atMs: this.#machine.nowMs() + step.delayMs } : {};
      const keyed = step.key === undefined ? {} : { idempotencyKey: step.key };
      this.#ledger.noteChild(ctx.id, at, await ctx.get(ctx.send(handler, input, { ...to, ...delayed, ...keyed })));
      return "sent";
    }
    const result = ctx.call(handler, input, to);
    // The completion before that of the result has the id of the invocation.
    const id = await ctx.get(completion(result.tree.completions[0]! - 1));
    this.#ledger.noteChild(ctx.id, at, id);
    try {
      return JSON.parse(await ctx.get(result));
    } catch (error) {
      if (error instanceof TerminalError && error.message === ALREADY_RUN.message) this.#ledger.dropChild(ctx.id, at);
      throw error;
    }
  }
}

/** @returns the path of a handler, as requests to the ingress have it */
export function pathOf({ service, key, handler }: Target): string {
  return key === undefined ? `/${service}/${handler}` : `/${service}/${key}/${handler}`;
}

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}
