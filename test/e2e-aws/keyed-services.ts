/** An object, a workflow and waiting handlers in the process of a test, which records the turns of the object. */
import {
  InvocationIdParser,
  object,
  service,
  workflow,
  type Context,
  type ObjectContext,
  type WorkflowContext,
  type WorkflowSharedContext,
} from "@restatedev/restate-sdk";
import { pause } from "./control-plane.ts";

/** Long enough that a test would notice two turns that run at the same time. */
const TURN_MS = 40;
const HANG_MS = 60_000;

/** The turns of the handlers of one key. */
export class Turns {
  readonly order: number[] = [];
  /** The largest number of turns that ran at the same time. */
  atOnceMax = 0;
  /** Turns that hung. */
  hung = 0;
  #running = 0;

  async take(name: number): Promise<void> {
    this.#running += 1;
    this.atOnceMax = Math.max(this.atOnceMax, this.#running);
    await pause(TURN_MS);
    this.order.push(name);
    this.#running -= 1;
  }

  /** Hangs the first time, for longer than any lease. */
  async hangOnce(name: number): Promise<void> {
    if (this.hung === 0) {
      this.hung += 1;
      await pause(HANG_MS);
    }
    await this.take(name);
  }
}

/** An object that counts its turns in its state. The process counts them too, so a lost turn or a lost write shows. */
export function ledgerOf(turnsOf: (key: string) => Turns) {
  return object({
    name: "ledger",
    handlers: {
      add: async (ctx: ObjectContext, name: number) => {
        const before = (await ctx.get<number>("count")) ?? 0;
        await ctx.run("turn", () => turnsOf(ctx.key).take(name));
        ctx.set("count", before + 1);
        return before + 1;
      },
      hang: async (ctx: ObjectContext, name: number) => {
        ctx.set("count", 1);
        await ctx.run("turn", () => turnsOf(ctx.key).hangOnce(name));
      },
      count: async (ctx: ObjectContext) => (await ctx.get<number>("count")) ?? 0,
    },
  });
}

export const approval = workflow({
  name: "approval",
  handlers: {
    run: async (ctx: WorkflowContext, what: string) => {
      ctx.set("what", what);
      return `${what}: ${await ctx.promise<string>("verdict")}`;
    },
    decide: async (ctx: WorkflowSharedContext, verdict: string) => {
      await ctx.promise<string>("verdict").resolve(verdict);
      return await ctx.get<string>("what");
    },
  },
});

/** @param told a function that gets the id that a test needs to resolve the awakeable */
export function waitingOf(told: (name: string, id: string) => void) {
  return service({
    name: "waiting",
    handlers: {
      awakeable: async (ctx: Context, name: string) => {
        const { id, promise } = ctx.awakeable<string>();
        await ctx.run("tell", () => told(name, id));
        return await promise;
      },
      signal: async (ctx: Context) => await ctx.signal<string>("go"),
      give: async (ctx: Context, { id, value }: { readonly id: string; readonly value: string }) => {
        ctx.invocation(InvocationIdParser.fromString(id)).signal<string>("go").resolve(value);
      },
    },
  });
}
