/** The handlers that play programs over the real SDK: the same for both servers. */
import "../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk";
import type { Context, ObjectContext, WorkflowContext } from "@restatedev/restate-sdk";
import { type Branch, HOUR_MS, type Kind, MARK, type Part, type Program, serviceName, type Step } from "./program.ts";
import { combine, complete, completion, refusalOf, timed } from "./outcome.ts";
import type { Recorder } from "./recorder.ts";

type Promised = restate.RestatePromise<unknown>;
// The exact optional property of the SDK's own type refuses its own serde.
const json = restate.serde.json as unknown as restate.Serde<unknown>;

/** Lets the connection of this attempt break. */
export type Cut = () => void;

/** @returns the handler of a program, by the kind of its service */
export function handlerOf({ on, handler }: Program): string {
  return on === "workflow" ? "run" : handler;
}

export class Player {
  readonly #kind: Kind;
  readonly #recorder: Recorder;
  readonly #cut: Cut;

  constructor(kind: Kind, recorder: Recorder, cut: Cut) {
    this.#kind = kind;
    this.#recorder = recorder;
    this.#cut = cut;
  }

  async play(ctx: Context, part: Part): Promise<unknown[]> {
    const { program, completes, announces } = part;
    const given: unknown[] = [];
    for (const [at, step] of program.steps.entries()) {
      // Whoever cancels the program may do so once it comes to its last step.
      if (announces !== undefined && at === program.steps.length - 1) await complete(ctx, announces);
      try {
        given.push((await this.#perform(ctx, part, step, `s${at}`)) ?? null);
      } catch (error) {
        if (!(error instanceof restate.TerminalError) || step.do === "refuse") throw error;
        if (error instanceof restate.CancelledError && program.outlives !== true) throw error;
        given.push({ failed: error.code, message: error.message });
      }
    }
    if (completes !== undefined) await complete(ctx, completes);
    return given;
  }

  async #perform(ctx: Context, part: Part, step: Step, name: string): Promise<unknown> {
    const { play, program } = part;
    const where = `${program.name}.${name}`;
    switch (step.do) {
      case "all":
      case "race":
      case "any":
      case "allSettled":
        return await combine(
          step.do,
          step.of.map((branch, at) => this.#begin(ctx, part, branch, `${name}b${at}`)),
        );
      case "timeout":
        return await timed(this.#begin(ctx, part, step.of, name).orTimeout(step.ms));
      case "send": {
        const { invocationId } = this.#send(ctx, part, step.of, name, step.delayMs, step.key);
        if (step.attaches !== true) return null;
        return await ctx.attach(await invocationId, json);
      }
      case "cancel":
        return await this.#cancel(ctx, part, step.of, name);
      case "get":
        return await (ctx as ObjectContext).get(step.key);
      case "set":
        return (ctx as ObjectContext).set(step.key, step.value);
      case "clear":
        return (ctx as ObjectContext).clear(step.key);
      case "clearAll":
        return (ctx as ObjectContext).clearAll();
      case "keys":
        return (await (ctx as ObjectContext).stateKeys()).toSorted();
      case "promise":
        return await this.#promise(ctx as WorkflowContext, part, step, name);
      case "throw":
        if (this.#recorder.count(play, `throw ${where}`) <= step.times) throw new Error(`${name} throws`);
        return null;
      case "cut":
        if (this.#recorder.count(play, `cut ${where}`) > step.times) return null;
        this.#cut();
        return await new Promise(() => {});
      case "refuse":
        throw refusalOf(step.with);
      case "random":
        return [ctx.rand.uuidv4(), ctx.rand.uuidv4()].map((one) => one.length);
      case "mark":
        return await ctx.run(MARK, () => null);
      case "callNobody":
        return await ctx.genericCall({
          service: "Nobody",
          method: "play",
          parameter: null,
          inputSerde: json,
          outputSerde: json,
        });
      case "giveBigint":
        return await this.#giveBigint(ctx, step.to, name);
      case "hold":
        return await this.#hold(ctx, part, step, name);
      default:
        return await this.#begin(ctx, part, step, name);
    }
  }

  #begin(ctx: Context, part: Part, branch: Branch, name: string): Promised {
    const { play, program } = part;
    switch (branch.do) {
      case "run": {
        const { stumbles = 0, attemptsMax, refuses, gives } = branch;
        const options = {
          initialRetryInterval: 5,
          maxRetryInterval: 5,
          ...(attemptsMax !== undefined && { maxRetryAttempts: attemptsMax }),
        };
        return ctx.run(
          name,
          () => {
            if (this.#recorder.count(play, `run ${program.name}.${name}`) <= stumbles)
              throw new Error(`${name} stumbles`);
            if (refuses !== undefined) throw refusalOf(refuses);
            return gives;
          },
          options,
        );
      }
      case "sleep":
        return ctx.sleep(branch.ms, name) as Promised;
      case "call":
        return ctx.genericCall<Part, unknown>({
          ...this.#request(part, branch.of, name, branch.key),
          outputSerde: json,
        });
      case "never":
        if (branch.how === "sleep") return ctx.sleep(HOUR_MS, name) as Promised;
        return branch.how === "signal" ? ctx.signal(name) : ctx.awakeable<unknown>().promise;
      case "awakeable": {
        const { id, promise } = ctx.awakeable<unknown>();
        this.#sendCompleter(ctx, part, name, { what: "awakeable", id, ...completion(branch) });
        return promise;
      }
      case "signal": {
        const promise = ctx.signal<unknown>(name);
        this.#sendCompleter(ctx, part, name, {
          what: "signal",
          invocation: ctx.request().id,
          name,
          ...completion(branch),
        });
        return promise;
      }
    }
  }

  async #cancel(ctx: Context, part: Part, of: Program, name: string): Promise<unknown> {
    const { id, promise } = ctx.awakeable<unknown>();
    const request = this.#request(part, of, name);
    const parameter: Part = { ...request.parameter, announces: { what: "awakeable", id, gives: "waits" } };
    const child = await ctx.genericSend<Part>({ ...request, parameter }).invocationId;
    await promise;
    ctx.cancel(child);
    return await ctx.attach(child, json);
  }

  async #promise(
    ctx: WorkflowContext,
    part: Part,
    step: Extract<Step, { do: "promise" }>,
    name: string,
  ): Promise<unknown> {
    const promise = ctx.promise<string>(step.name);
    switch (step.what) {
      case "peek":
        return await promise.peek();
      case "resolve":
        return await promise.resolve(step.value);
      case "reject":
        return await promise.reject(step.value);
      case "get": {
        const completes = { what: "promise", name: step.name, value: step.value, rejects: false } as const;
        const program: Program = {
          name: `${part.program.name}${name}c`,
          on: "workflow",
          key: part.program.key!,
          handler: "play",
          steps: [],
        };
        ctx.genericSend<Part>({
          ...this.#request(part, program, name),
          method: "peek",
          parameter: { play: part.play, program, completes },
        });
        return await promise.get();
      }
    }
  }

  async #hold(ctx: Context, part: Part, step: Extract<Step, { do: "hold" }>, name: string): Promise<unknown> {
    const { play, program } = part;
    const invocation = ctx.request().id;
    const awakeable = step.on === "awakeable" ? ctx.awakeable<unknown>() : undefined;
    const promise = awakeable?.promise ?? (step.on === "sleep" ? ctx.sleep(HOUR_MS, name) : ctx.signal(name));
    // The marker is stored after all that came before it. When the handler goes on, the server has stored the rest.
    await ctx.run(`${name} waits`, () => null);
    this.#recorder.waits(play, `${program.name}.${name}`, {
      invocation,
      ...(awakeable && { awakeable: awakeable.id }),
    });
    return await promise;
  }

  async #giveBigint(ctx: Context, to: "run" | "state" | "call", name: string): Promise<unknown> {
    if (to === "run") return await ctx.run(name, () => 1n);
    if (to === "state") return (ctx as ObjectContext).set(name, 1n);
    return await ctx.genericCall({
      service: serviceName(this.#kind, "service"),
      method: "play",
      parameter: 1n as unknown,
      inputSerde: json,
      outputSerde: json,
    });
  }

  #send(ctx: Context, part: Part, of: Program, name: string, delayMs: number, key?: string): restate.InvocationHandle {
    return ctx.genericSend<Part>({ ...this.#request(part, of, name, key), ...(delayMs > 0 && { delay: delayMs }) });
  }

  #sendCompleter(ctx: Context, part: Part, name: string, completes: NonNullable<Part["completes"]>): void {
    const program: Program = { name: `${part.program.name}${name}c`, on: "service", handler: "play", steps: [] };
    ctx.genericSend<Part>({
      ...this.#request(part, program, name),
      parameter: { play: part.play, program, completes },
    });
  }

  #request({ play }: Part, program: Program, name: string, idempotencyKey?: string) {
    return {
      service: serviceName(this.#kind, program.on),
      method: handlerOf(program),
      parameter: { play, program } as Part,
      inputSerde: json as unknown as restate.Serde<Part>,
      name,
      ...(program.key !== undefined && { key: `${play}-${program.key}` }),
      ...(idempotencyKey !== undefined && { idempotencyKey: `${play}-${idempotencyKey}` }),
    };
  }
}
