/** An object whose keys are apart for each tenant, and a handler that calls in the scope of a tenant. */
import * as restate from "@restatedev/restate-sdk";

export const wallet = restate.object({
  name: "wallet",
  handlers: {
    add: async (ctx: restate.ObjectContext, cents: number): Promise<number> => {
      const balance = ((await ctx.get<number>("balance")) ?? 0) + cents;
      ctx.set("balance", balance);
      return balance;
    },
  },
});

interface Gift {
  readonly tenant: string;
  readonly to: string;
}

export const gifts = restate.service({
  name: "gifts",
  handlers: {
    /** A call is in the scope that it names, and in no scope without one, whatever the scope of the caller is. */
    give: async (ctx: restate.Context, { tenant, to }: Gift): Promise<number> => {
      const opts = restate.rpc.opts<number, number>({ limitKey: "gold/eu" });
      return ctx.scope(tenant).objectClient(wallet, to).add(500, opts);
    },
  },
});
