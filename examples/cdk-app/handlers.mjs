/** The handlers of the app: one that reserves a seat, with a step in its journal. */
import { createEndpointHandler, service } from "@restatedev/restate-sdk/lambda";

const seats = service({
  name: "seats",
  handlers: {
    reserve: async (ctx, seat) => {
      const number = await ctx.run("draw a number", () => 17);
      return `seat ${seat} has the number ${number}`;
    },
  },
});

export const handler = createEndpointHandler({ services: [seats] });
