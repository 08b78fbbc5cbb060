/** The handler that plays programs over the small scripted SDK. Most seeds use this SDK, because it is cheap. */
import type { CallOptions, ScriptContext } from "../../harness/engine/script-context.ts";
import { all, TerminalError, type Awaited as Awaiting } from "../../harness/engine/script-awaits.ts";
import { completePromise, getPromise, ScriptState } from "../../harness/engine/script-state.ts";
import type { Outside } from "./outside.ts";
import {
  type Branch,
  failedText,
  HANDLER,
  INTERRUPTED,
  KEPT,
  type Keyed,
  LOG,
  namesOf,
  type Part,
  type Program,
  REFUSED,
  REJECTED,
  resolverOf,
  SHARED,
  SLEPT,
  type Step,
  targetOf,
  tellerOf,
  TELLS,
  valueOf,
  WOKEN,
} from "./program.ts";

/** @param outside the record of the executions of closures */
export function scriptedPlayer(outside: Outside): (ctx: ScriptContext) => Promise<string> {
  return async (ctx) => JSON.stringify(await new Player(ctx, outside).play());
}

class Player {
  readonly #ctx: ScriptContext;
  readonly #outside: Outside;

  constructor(ctx: ScriptContext, outside: Outside) {
    this.#ctx = ctx;
    this.#outside = outside;
  }

  async play(): Promise<unknown[] | Keyed> {
    const ctx = this.#ctx;
    const { program, resolves } = JSON.parse(ctx.input) as Part;
    const before = program.object === undefined ? undefined : await this.#enter(program.name);
    const given: unknown[] = [];
    for (const step of program.steps) given.push(await caught(program, () => this.#step({ program }, step)));
    if (resolves?.refuses === true) {
      const failure = { code: REJECTED, message: program.name, metadata: [] };
      ctx.command("CompleteAwakeable", { awakeableId: resolves.awakeable, failure });
    } else if (resolves !== undefined) ctx.resolveAwakeable(resolves.awakeable, JSON.stringify(WOKEN));
    if (program.fails !== undefined) throw new TerminalError(program.fails, program.name);
    return before === undefined ? given : { before, given };
  }

  /** Adds the name to the log. @returns the log before this change; a replay takes that log from the journal */
  async #enter(name: string): Promise<readonly string[]> {
    const state = new ScriptState(this.#ctx);
    const before = JSON.parse((await this.#logIn(state)) || "[]") as string[];
    state.set(LOG, JSON.stringify([...before, name]));
    return before;
  }

  /** The request may lack the log if the other values of the state are large. */
  async #logIn(state: ScriptState): Promise<string | undefined> {
    const recorded = this.#ctx.journal.commands[1];
    if (recorded === undefined ? !state.knows(LOG) : recorded.name === "GetLazyState")
      return await this.#ctx.get(state.lazy(LOG));
    const found = state.get(LOG);
    if (recorded?.name !== "GetEagerState") return found;
    const { value } = recorded.message;
    return value === undefined ? undefined : new TextDecoder().decode(value.content);
  }

  async #step(part: Part, step: Step): Promise<unknown> {
    const ctx = this.#ctx;
    switch (step.do) {
      case "all":
        return (await ctx.get(allOf(step.branches.map((branch) => this.#begin(branch))))).map(read);
      case "race":
        return read(await ctx.race(...step.branches.map((branch) => this.#begin(branch))));
      case "send":
        return await ctx.get(this.#send(step.of, step.key, step.delayMs));
      case "attach":
        return read(await ctx.get(ctx.attach(await ctx.get(this.#send(step.of, step.key)))));
      case "cancel": {
        const id = await ctx.get(this.#send(step.of, undefined));
        ctx.cancel(id);
        return read(await ctx.get(ctx.attach(id)));
      }
      case "await":
        return await this.#await(part, step);
      case "attach-by": {
        void this.#send(step.of, step.key);
        return read(await ctx.get(ctx.completable("AttachInvocation", lookupOf(step))));
      }
      case "signals": {
        const id = await ctx.get(this.#send(step.of, undefined));
        for (let at = 0; at < step.count; at++) ctx.sendSignal(id, TICK, String(at));
        return read(await ctx.get(ctx.attach(id)));
      }
      case "hear": {
        const heard: unknown[] = [];
        while (heard.length < step.count) heard.push(JSON.parse(await ctx.get(ctx.signal(TICK))));
        return heard;
      }
      case "promise": {
        const teller = tellerOf(part.program, step.name);
        ctx.send(SHARED, JSON.stringify({ program: teller }), optionsOf(teller, undefined));
        return read(await ctx.get(getPromise(ctx, step.name)));
      }
      case "complete":
        return read(await ctx.get(completePromise(ctx, step.name, JSON.stringify(WOKEN))));
      case "remember":
        for (const name of namesOf(step.values)) this.#set(name, valueOf(part.program, step.name, step.values));
        return KEPT;
      default:
        return read(await ctx.get(this.#begin(step)));
    }
  }

  async #await({ program }: Part, { by, name, refuses }: Extract<Step, { do: "await" }>): Promise<unknown> {
    const ctx = this.#ctx;
    const { id, result } = ctx.awakeable();
    const resolves = { awakeable: id, refuses };
    if (by === "child") ctx.send(HANDLER, JSON.stringify({ program: resolverOf(program, name), resolves }));
    else await ctx.get(ctx.run(TELLS, () => this.#outside.tell(resolves, by === "outside-later")));
    return read(await ctx.get(result));
  }

  #send(program: Program, key: string | undefined, delayMs = 0): Awaiting<string> {
    const delayed = delayMs > 0 ? { atMs: Date.now() + delayMs } : {};
    return this.#ctx.send(HANDLER, JSON.stringify({ program }), { ...optionsOf(program, key), ...delayed });
  }

  #set(name: string, value: string): void {
    const [key, content] = [encoder.encode(name), encoder.encode(value)];
    this.#ctx.command("SetState", { key, value: { content } });
  }

  #begin(branch: Branch): Awaiting<string> {
    const ctx = this.#ctx;
    switch (branch.do) {
      case "run":
        return ctx.run(branch.name, () => {
          const { token, stumbles } = this.#outside.execute(ctx.id, branch);
          if (stumbles) throw new Error(`${branch.name} stumbled`);
          if (branch.refuses) throw new TerminalError(REFUSED, branch.name);
          return JSON.stringify(token);
        });
      case "sleep":
        return ctx.sleep(Date.now() + branch.ms);
      case "call":
        return ctx.call(HANDLER, JSON.stringify({ program: branch.of }), optionsOf(branch.of, branch.key));
    }
  }
}

const TICK = "tick";
const encoder = new TextEncoder();

/** @returns the target by which a step attaches to the program that it has sent */
function lookupOf({ of, key = "" }: { readonly of: Program; readonly key?: string }) {
  const target = targetOf(of);
  const { scope } = target;
  if (of.flow !== undefined) return { workflow: { workflowName: target.service, workflowKey: target.key, scope } };
  const at = { serviceName: target.service, serviceKey: target.key, handlerName: target.handler, scope };
  return { idempotentRequest: { ...at, idempotencyKey: key } };
}

function optionsOf(program: Program, idempotencyKey: string | undefined): CallOptions {
  const { service, key = "", scope } = targetOf(program);
  return {
    service,
    key,
    ...(scope !== undefined && { scope }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/**
 * A suspension names only the branches without a result. The engine judges an await only against notifications that were
 * not sent to the attempt (I5). So if an await of `all` also named a finished branch, the engine would never count it as
 * satisfied.
 */
function allOf(branches: readonly Awaiting<string>[]): Awaiting<readonly string[]> {
  const whole = all(...branches);
  let lacking = branches;
  return {
    runs: whole.runs,
    outcome(known) {
      lacking = branches.filter((branch) => branch.outcome(known) === undefined);
      return whole.outcome(known);
    },
    get tree() {
      return all(...lacking).tree;
    },
  };
}

/** A sleep has no result. */
function read(text: string): unknown {
  return text === "" ? SLEPT : (JSON.parse(text) as unknown);
}

async function caught({ yields }: Program, step: () => Promise<unknown>): Promise<unknown> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof TerminalError) || (yields === true && error.code === INTERRUPTED)) throw error;
    return failedText(error.code);
  }
}
