/** A first deployment: `greeter` greets, invites and reminds people, `postOffice` delivers its letters, `kitchen` makes breakfast. */
import * as restate from "@restatedev/restate-sdk";
import { kitchen } from "./kitchen.ts";

const PORT_DEFAULT = 9080;

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
     * Random choices belong in `ctx.run`. Its result is recorded, so a replay after a crash returns the same greeting
     * instead of picking another one.
     */
    greet: async (ctx: restate.Context, name: string): Promise<string> => {
      const greeting = await ctx.run("pick a greeting", () => GREETINGS[Math.floor(Math.random() * GREETINGS.length)]);
      return `${greeting}, ${name}!`;
    },

    /** Awaits a call. If either service crashes meanwhile, the letter is still delivered and its receipt still comes back. */
    invite: async (ctx: restate.Context, name: string): Promise<string> => {
      const letter = { to: name, text: "You are invited to tea at five." };
      const receipt = await ctx.serviceClient(postOffice).deliver(letter);
      return `${name} is invited, receipt ${receipt}`;
    },

    /**
     * A durable sleep needs no running process. If all processes stop during the sleep and start again, the sleep still
     * ends at the same moment. The send after it is not awaited; it happens exactly once, even after a crash.
     */
    remind: async (ctx: restate.Context, { name, about, seconds }: Reminder): Promise<string> => {
      await ctx.sleep({ seconds });
      ctx.serviceSendClient(postOffice).deliver({ to: name, text: `You wanted to be reminded of ${about}.` });
      return `${name} is reminded of ${about}`;
    },
  },
});

const port = Number(process.env["PORT"] ?? PORT_DEFAULT);
await restate.serve({ services: [greeter, postOffice, kitchen], port });
