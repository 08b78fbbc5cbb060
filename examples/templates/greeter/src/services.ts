/** The service `greeter`: one handler greets, the other reminds after a delay. */
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
    /** `ctx.run` records the random choice, so the handler returns the same greeting when it is repeated after a crash. */
    greet: async (ctx: restate.Context, name: string): Promise<string> => {
      const greeting = await ctx.run("pick a greeting", () => GREETINGS[Math.floor(Math.random() * GREETINGS.length)]);
      return `${greeting}, ${name}!`;
    },

    /** No process waits during the sleep: you can stop everything and start it again, and the reminder comes on time. */
    remind: async (ctx: restate.Context, { name, about, seconds }: Reminder): Promise<string> => {
      await ctx.sleep({ seconds });
      await ctx.run("remind", () => console.log(`${name}, remember ${about}!`));
      return `${name} is reminded of ${about}`;
    },
  },
});

export const services = [greeter];
