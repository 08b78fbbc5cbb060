/**
 * The deployment of the upgrade drill (`drill.ts`). The deployment counts each execution of a step, and some of its handlers end
 * only after the deployment is repaired.
 */
import "../../examples/polyfill.mjs";
import { createServer } from "node:http2";
import type { Server } from "node:net";
import type { Context, ObjectContext, WorkflowContext, WorkflowSharedContext } from "@restatedev/restate-sdk";
import {
  createEndpointHandler,
  handlers,
  InvocationIdParser,
  object,
  service,
  workflow,
} from "@restatedev/restate-sdk";
import type { Listening } from "../harness/local/local-stage.ts";
import { listen } from "../harness/local/local-stage.ts";

/**
 * The steps that the deployment has executed, and whether the deployment is the repaired version, which runs after the upgrade.
 */
export interface World {
  readonly isMended: boolean;
  /** The completed executions of each step, by `<name>/<step>`. */
  readonly ran: Map<string, number>;
  /** Steps that have begun, completed or not. */
  readonly begun: Set<string>;
  readonly awakeables: Map<string, string>;
}

export interface Asked {
  readonly name: string;
  readonly ms?: number;
  readonly id?: string;
  readonly padding?: string;
}

export function newWorld(isMended: boolean): World {
  return { isMended, ran: new Map(), begun: new Set(), awakeables: new Map() };
}

/** No retry comes while a fixture is written, and each retry is due when the fixture is read. */
const PATIENT = { initialInterval: 300_000, maxInterval: 300_000, maxAttempts: 50 };
const GIVES_UP = { initialInterval: 10, maxAttempts: 2, onMaxAttempts: "pause" } as const;

type Step = (ctx: Context, asked: Asked, step: string, work?: () => Promise<void>) => Promise<void>;

/** Serves the handlers on a free port. */
export async function serveDrill(world: World): Promise<Listening> {
  const services = [drillOf(world), tallyOf(world), flowOf(world)];
  return await listen(createServer(createEndpointHandler({ services, logger: () => {} })) as Server);
}

function stepsIn(world: World): Step {
  return (ctx, { name }, word, work) =>
    ctx.run(word, async () => {
      world.begun.add(`${name}/${word}`);
      await work?.();
      world.ran.set(`${name}/${word}`, (world.ran.get(`${name}/${word}`) ?? 0) + 1);
    });
}

function drillOf(world: World) {
  const step = stepsIn(world);
  const notYet = (): void => {
    if (!world.isMended) throw new Error("not yet");
  };
  const simple = simpleHandlers(world, step);
  const own = {
    ...simple,
    async family(ctx: Context, asked: Asked): Promise<string> {
      await step(ctx, asked, "before");
      const child = await childOf(ctx).nap({ ...asked, name: `${asked.name}-child` });
      await step(ctx, asked, "after");
      return `the child ${child}`;
    },
    async hangingFamily(ctx: Context, asked: Asked): Promise<string> {
      await step(ctx, asked, "before");
      return `the child is ${await childOf(ctx).hang({ name: `${asked.name}-child` })}`;
    },
    stumble: handlers.handler({ retryPolicy: PATIENT }, async (ctx: Context, asked: Asked): Promise<string> => {
      await step(ctx, asked, "once");
      const greeting = await childOf(ctx).greet({ name: `${asked.name}-child` });
      notYet();
      return `mended: ${greeting}`;
    }),
    stall: handlers.handler({ retryPolicy: GIVES_UP }, async (ctx: Context, asked: Asked): Promise<string> => {
      await step(ctx, asked, "once");
      notYet();
      return "mended";
    }),
  };
  return service({ name: "Drill", handlers: own });
}

/** Handlers without calls. */
function simpleHandlers(world: World, step: Step) {
  return {
    async greet(ctx: Context, asked: Asked): Promise<string> {
      await step(ctx, asked, "greet");
      return `Hello, ${asked.name}${asked.padding ?? ""}`;
    },
    async nap(ctx: Context, asked: Asked): Promise<string> {
      await step(ctx, asked, "before");
      await ctx.sleep(asked.ms ?? 0);
      await step(ctx, asked, "after");
      return `slept${asked.padding ?? ""}`;
    },
    async ask(ctx: Context, asked: Asked): Promise<string> {
      const { id, promise } = ctx.awakeable<string>();
      await step(ctx, asked, "tell", async () => void world.awakeables.set(asked.name, id));
      return `told ${await promise}`;
    },
    async listen(ctx: Context, asked: Asked): Promise<string> {
      await step(ctx, asked, "before");
      return `heard ${await ctx.signal<string>("word")}`;
    },
    async tell(ctx: Context, { id }: Asked): Promise<string> {
      ctx
        .invocation(InvocationIdParser.fromString(id ?? ""))
        .signal("word")
        .resolve("it");
      return "said";
    },
    async watch(ctx: Context, asked: Asked): Promise<string> {
      await step(ctx, asked, "before");
      return `saw "${await ctx.attach<string>(InvocationIdParser.fromString(asked.id ?? ""))}"`;
    },
    async undo(ctx: Context, asked: Asked): Promise<string> {
      await step(ctx, asked, "book");
      try {
        await ctx.sleep(30 * 86_400_000);
      } catch (error) {
        await step(ctx, asked, "unbook");
        await ctx.sleep(asked.ms ?? 0);
        await step(ctx, asked, "confirm");
        throw error;
      }
      return "kept";
    },
    async hang(ctx: Context, asked: Asked): Promise<string> {
      await step(ctx, asked, "first");
      await step(ctx, asked, "second", async () => {
        if (!world.isMended) await new Promise(() => {});
      });
      return "free";
    },
  };
}

/** Counts the calls of each key. */
function tallyOf(world: World) {
  const step = stepsIn(world);
  const counted = async (ctx: ObjectContext): Promise<number> => {
    const count = ((await ctx.get<number>("count")) ?? 0) + 1;
    ctx.set("count", count);
    return count;
  };
  const own = {
    async add(ctx: ObjectContext, asked: Asked): Promise<number> {
      await step(ctx, asked, "add");
      return await counted(ctx);
    },
    async hold(ctx: ObjectContext, asked: Asked): Promise<number> {
      await step(ctx, asked, "before");
      await ctx.sleep(asked.ms ?? 0);
      await step(ctx, asked, "after");
      return await counted(ctx);
    },
  };
  return object({ name: "Tally", handlers: own });
}

/** Waits for a promise that another handler completes. */
function flowOf(world: World) {
  const step = stepsIn(world);
  const own = {
    async run(ctx: WorkflowContext, asked: Asked): Promise<string> {
      await step(ctx, asked, "before");
      return `heard ${await ctx.promise<string>("word")}`;
    },
    async say(ctx: WorkflowSharedContext): Promise<string> {
      await ctx.promise<string>("word").resolve("it");
      return "said";
    },
  };
  return workflow({ name: "Flow", handlers: own });
}

interface Children {
  greet(asked: Asked): PromiseLike<string>;
  nap(asked: Asked): PromiseLike<string>;
  hang(asked: Asked): PromiseLike<string>;
}

function childOf(ctx: Context): Children {
  return ctx.serviceClient({ name: "Drill" }) as unknown as Children;
}
