/** A service of the test deployment whose handlers know their scope, and call in scopes. */
import * as restate from "@restatedev/restate-sdk";
import type { ObjectContext } from "@restatedev/restate-sdk";

type Store = { add(ctx: ObjectContext, value: number): Promise<number> };
type Quick = { run(ctx: restate.WorkflowContext, value: number): Promise<number> };
type Scoped = { told(ctx: restate.Context): Promise<Told> };

/** What the start message of an attempt says. */
export interface Told {
  readonly scope: string | null;
  readonly limitKey: string | null;
  readonly idempotencyKey: string | null;
}

export interface Within {
  readonly scope: string;
  readonly limitKey?: string;
  readonly key: string;
}

const scopedHandlers = {
  random: async (ctx: restate.Context): Promise<string> => ctx.run("random", () => crypto.randomUUID()),
  told: async (ctx: restate.Context): Promise<Told> => {
    const { scope = null, limitKey = null, idempotencyKey = null } = ctx.request();
    return { scope, limitKey, idempotencyKey };
  },
  /** What children in a scope and in none are told. */
  asks: async (ctx: restate.Context, { scope, limitKey, key }: Within): Promise<readonly Told[]> => {
    const opts = restate.rpc.opts({ idempotencyKey: key, ...(limitKey !== undefined && { limitKey }) });
    const scoped = await ctx
      .scope(scope)
      .serviceClient<Scoped>({ name: "Scoped" })
      .told(opts as never);
    return [scoped, await ctx.serviceClient<Scoped>({ name: "Scoped" }).told()];
  },
  /** Adds to a key in the scope and in none, and runs a workflow of this key in both. */
  adds: async (ctx: restate.Context, { scope, key }: Within): Promise<readonly number[]> => {
    const inScope = ctx.scope(scope);
    return [
      await inScope.objectClient<Store>({ name: "Store" }, key).add(1),
      await ctx.objectClient<Store>({ name: "Store" }, key).add(10),
      await inScope.objectClient<Store>({ name: "Store" }, key).add(1),
      await inScope.workflowClient<Quick>({ name: "Quick" }, key).run(1),
      await ctx.workflowClient<Quick>({ name: "Quick" }, key).run(2),
    ];
  },
  misuses: async (ctx: restate.Context, { scope, limitKey }: Within): Promise<Uint8Array> =>
    ctx.genericCall({
      service: "Scoped",
      method: "told",
      parameter: new Uint8Array(0),
      ...(scope !== "" && { scope }),
      ...(limitKey !== undefined && { limitKey }),
    }),
};

export const scoped = restate.service({ name: "Scoped", handlers: scopedHandlers });
