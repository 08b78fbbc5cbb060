/** The service `kitchen`: a handler of several steps, to be killed in the middle. */
import * as restate from "@restatedev/restate-sdk";

export const kitchen = restate.service({
  name: "kitchen",
  handlers: {
    breakfast: async (ctx: restate.Context, name: string): Promise<string> => {
      for (const dish of ["coffee", "eggs", "toast"]) {
        await ctx.run(`make ${dish}`, () => console.log(`made ${dish} for ${name}`));
        await ctx.sleep({ seconds: 5 });
      }
      return `${name}, breakfast is ready`;
    },
  },
});
