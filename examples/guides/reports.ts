/** A handler that runs by the clock. */
import * as restate from "@restatedev/restate-sdk";

interface Report {
  readonly tenant: string;
}

export const reports = restate.service({
  name: "reports",
  handlers: {
    /** Each run has its moment in a header, so a backfill makes the report of that day, and not of today. */
    nightly: async (ctx: restate.Context, { tenant }: Report): Promise<string> => {
      const moment = ctx.request().headers.get("x-stepwell-scheduled-at") ?? "";
      return ctx.run("write", () => `${tenant} ${moment.slice(0, 10)}`);
    },
  },
});
