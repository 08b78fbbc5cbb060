/** The workflow `signup`: it runs once for each id and waits for a confirmation, and its status can be read meanwhile. */
import * as restate from "@restatedev/restate-sdk";

const CONFIRMED = "confirmed";
const STATUS = "status";

interface SignUp {
  readonly name: string;
  readonly email: string;
}

const signup = restate.workflow({
  name: "signup",
  handlers: {
    run: async (ctx: restate.WorkflowContext, { name, email }: SignUp): Promise<string> => {
      ctx.set(STATUS, "waiting for the confirmation");
      const secret = ctx.rand.uuidv4();
      await ctx.run("send the letter", () => console.log(`to ${email}: confirm with {"secret":"${secret}"}`));
      // No process runs during the wait, and a restart of everything loses nothing.
      if ((await ctx.promise<string>(CONFIRMED)) !== secret) {
        throw new restate.TerminalError("The secret is not the one of the letter", { errorCode: 403 });
      }
      ctx.set(STATUS, "confirmed");
      return `Welcome, ${name}!`;
    },

    confirm: async (ctx: restate.WorkflowSharedContext, { secret }: { readonly secret: string }): Promise<void> => {
      await ctx.promise<string>(CONFIRMED).resolve(secret);
    },

    status: async (ctx: restate.WorkflowSharedContext): Promise<string> => (await ctx.get<string>(STATUS)) ?? "unknown",
  },
});

export const services = [signup];
