/** Sends for later, and many calls at once. */
import * as restate from "@restatedev/restate-sdk";

export const mail = restate.service({
  name: "mail",
  handlers: {
    deliver: async (ctx: restate.Context, to: string): Promise<string> => {
      if (!to.includes("@")) throw new restate.TerminalError(`"${to}" is no address`);
      return ctx.run("deliver", () => `delivered to ${to}`);
    },
  },
});

export const campaign = restate.service({
  name: "campaign",
  handlers: {
    /** Delivers later: the send is recorded now, and needs no process until it is due. */
    remind: async (ctx: restate.Context, to: string): Promise<string> => {
      const sent = ctx.serviceSendClient(mail).deliver(to, restate.rpc.sendOpts({ delay: { hours: 24 } }));
      return sent.invocationId;
    },

    /** Calls all at once; they run in parallel, on as many processes as there are. */
    deliverAll: async (ctx: restate.Context, addresses: readonly string[]): Promise<readonly string[]> =>
      restate.RestatePromise.all(addresses.map((to) => ctx.serviceClient(mail).deliver(to))),

    /** The same, but a failure of one does not end the others. */
    deliverWhatGoes: async (ctx: restate.Context, addresses: readonly string[]): Promise<readonly string[]> => {
      const calls = addresses.map((to) => ctx.serviceClient(mail).deliver(to));
      const ends = await restate.RestatePromise.allSettled(calls);
      return ends.map((end) => (end.status === "fulfilled" ? end.value : `failed: ${String(end.reason)}`));
    },
  },
});
