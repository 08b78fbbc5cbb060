/** A report that a schedule makes each night. */
import * as restate from "@restatedev/restate-sdk";

interface Order {
  readonly tenant: string;
}

/** The moment of the run, which the schedule sends as a header. A call without a schedule has none. */
const MOMENT_HEADER = "x-stepwell-scheduled-at";

/** Simulates the count of a day's orders. */
function countOrders(tenant: string, day: string): number {
  console.log(`counted the orders of ${tenant} on ${day}`);
  return tenant.length + Number(day.slice(-2));
}

const reports = restate.service({
  name: "reports",
  handlers: {
    /** The day follows from the moment of the run, so a late run and a backfill report on their own day. */
    nightly: async (ctx: restate.Context, { tenant }: Order): Promise<string> => {
      const moment = ctx.request().headers.get(MOMENT_HEADER);
      const day = moment?.slice(0, 10) ?? (await ctx.date.toJSON()).slice(0, 10);
      const orders = await ctx.run("count", () => countOrders(tenant, day));
      return `${day}: ${orders} orders of ${tenant}`;
    },
  },
});

export const services = [reports];
