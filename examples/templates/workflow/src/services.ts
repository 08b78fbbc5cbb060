/** A sign-up that waits for a click, for as long as it takes: it runs once for each id, and can be asked meanwhile. */
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
      // Nothing runs while it waits, and nothing is lost where everything is started anew meanwhile.
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
