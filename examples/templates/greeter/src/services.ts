/** A service that greets and remembers to remind. */
import * as restate from "@restatedev/restate-sdk";

const GREETINGS = ["Hello", "Welcome", "Good to see you"];

interface Reminder {
  readonly name: string;
  readonly about: string;
  readonly seconds: number;
}

const greeter = restate.service({
  name: "greeter",
  handlers: {
    /** What happens by chance is recorded by `ctx.run`: after a crash the same greeting is found again. */
    greet: async (ctx: restate.Context, name: string): Promise<string> => {
      const greeting = await ctx.run("pick a greeting", () => GREETINGS[Math.floor(Math.random() * GREETINGS.length)]);
      return `${greeting}, ${name}!`;
    },

    /** The sleep holds no process. Stop everything, start it again: the reminder still comes, and on time. */
    remind: async (ctx: restate.Context, { name, about, seconds }: Reminder): Promise<string> => {
      await ctx.sleep({ seconds });
      await ctx.run("remind", () => console.log(`${name}, remember ${about}!`));
      return `${name} is reminded of ${about}`;
    },
  },
});

export const services = [greeter];
