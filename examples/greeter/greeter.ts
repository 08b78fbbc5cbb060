/** A first deployment: one service that greets, remembers to remind, and calls another service to have its letters delivered. */
import * as restate from "@restatedev/restate-sdk";

const GREETINGS = ["Hello", "Good to see you", "Welcome back", "What a day to meet you"];

interface Letter {
  readonly to: string;
  readonly text: string;
}

interface Reminder {
  readonly name: string;
  readonly about: string;
  readonly seconds: number;
}

const postOffice = restate.service({
  name: "postOffice",
  handlers: {
    /** Delivers a letter to this terminal, and answers with a receipt that stays the same on every replay. */
    deliver: async (ctx: restate.Context, letter: Letter): Promise<string> => {
      const receipt = ctx.rand.uuidv4();
      await ctx.run("print the letter", () => console.log(`\n  ✉  ${letter.to}: ${letter.text}\n`));
      return receipt;
    },
  },
});

const greeter = restate.service({
  name: "greeter",
  handlers: {
    /**
     * What happens by chance goes into `ctx.run`: its result is recorded, so that a replay after a crash finds the same
     * greeting instead of throwing the dice again.
     */
    greet: async (ctx: restate.Context, name: string): Promise<string> => {
      const greeting = await ctx.run("pick a greeting", () => GREETINGS[Math.floor(Math.random() * GREETINGS.length)]);
      return `${greeting}, ${name}!`;
    },

    /** A call is awaited: should either side crash meanwhile, the letter is still delivered and its receipt still comes back. */
    invite: async (ctx: restate.Context, name: string): Promise<string> => {
      const letter = { to: name, text: "You are invited to tea at five." };
      const receipt = await ctx.serviceClient(postOffice).deliver(letter);
      return `${name} is invited, receipt ${receipt}`;
    },

    /**
     * A durable sleep holds no process: stop everything while it lasts, start again, and it ends at the moment it would have
     * ended anyway. The send that follows is not awaited; it happens once, whatever happens here.
     */
    remind: async (ctx: restate.Context, { name, about, seconds }: Reminder): Promise<string> => {
      await ctx.sleep({ seconds });
      ctx.serviceSendClient(postOffice).deliver({ to: name, text: `You wanted to be reminded of ${about}.` });
      return `${name} is reminded of ${about}`;
    },
  },
});

await restate.serve({ services: [greeter, postOffice], port: 9080 });
