/** Sends mails for tenants. Each tenant is a scope, and `rules.json` says how many of its mails go out at a time. */
import { setTimeout as sleep } from "node:timers/promises";
import * as restate from "@restatedev/restate-sdk";

/** Simulates a call to a provider that allows few at a time. */
async function deliver(to: string): Promise<void> {
  console.log(`sending to ${to}`);
  await sleep(100);
  console.log(`sent to ${to}`);
}

const mails = restate.service({
  name: "mails",
  handlers: {
    send: async (ctx: restate.Context, to: string): Promise<string> => {
      await ctx.run("deliver", () => deliver(to));
      return `sent to ${to}`;
    },
  },
});

interface Campaign {
  readonly tenant: string;
  /** A rule may limit a plan of a tenant further. */
  readonly plan: string;
  readonly recipients: readonly string[];
}

const campaigns = restate.service({
  name: "campaigns",
  handlers: {
    /** The sends are accepted at once, and wait for a place of their tenant. */
    start: async (ctx: restate.Context, { tenant, plan, recipients }: Campaign): Promise<number> => {
      const inTenant = ctx.scope(tenant).serviceSendClient(mails);
      for (const to of recipients) inTenant.send(to, restate.rpc.sendOpts({ limitKey: plan }));
      return recipients.length;
    },
  },
});

export const services = [mails, campaigns];
