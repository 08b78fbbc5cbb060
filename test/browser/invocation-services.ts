/** Handlers for the tests of an invocation's page: steps that fail, waits, calls, a custom serializer, changed code. */
import "../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk";

/** A serializer that makes bytes that are no UTF-8, so only the deployment can show them. */
const flipped: restate.Serde<unknown> = {
  contentType: "application/x-flipped",
  serialize: (value) => new TextEncoder().encode(JSON.stringify(value)).map((byte) => byte ^ 0x80),
  deserialize: (bytes) => JSON.parse(new TextDecoder().decode(bytes.map((byte) => byte ^ 0x80))) as unknown,
  preview: {
    toJsonString: (value) => JSON.stringify(value),
    fromJsonString: (text) => JSON.parse(text) as unknown,
  },
};

interface Steps {
  flaky(ctx: restate.Context): Promise<string>;
  circle(ctx: restate.Context, left: number): Promise<number>;
}

const HOUR = { hours: 1 };
const seldom = { retryPolicy: { initialInterval: HOUR, maxInterval: HOUR } };

/** The name of the second step of `drift`, which a test changes. */
export const code = { step: "two" };

export const steps = restate.service({
  name: "Steps",
  handlers: {
    order: async (ctx: restate.Context, order: { readonly id: string }) => {
      await ctx.run("reserve stock", () => ({ reserved: 3 }));
      const receipt = await ctx.serviceClient<Steps>({ name: "Steps" }).flaky();
      await restate.RestatePromise.all(Array.from({ length: 8 }, (_, at) => ctx.run("notify", () => at)));
      return { order: order.id, receipt };
    },
    flaky: async (ctx: restate.Context) => {
      let tries = 0;
      const charge = (): string => {
        if (tries++ === 0 && !charged.has(ctx.request().id)) {
          charged.add(ctx.request().id);
          throw new Error("the acquirer timed out");
        }
        return "r-1";
      };
      return await ctx.run("charge card", charge, { initialRetryInterval: 50 });
    },
    waits: async (ctx: restate.Context) => await ctx.awakeable<string>().promise,
    sleeps: async (ctx: restate.Context) => {
      await ctx.run("before", () => 1);
      await ctx.sleep({ seconds: 3 });
      await ctx.run("after", () => 2);
    },
    stumble: restate.handlers.handler(seldom, async (ctx: restate.Context) => {
      await ctx.run("first", () => 1);
      await ctx.run("send mail", () => {
        throw new Error("connect ECONNREFUSED 10.0.0.7:25");
      });
    }),
    drift: restate.handlers.handler(seldom, async (ctx: restate.Context) => {
      await ctx.run("one", () => 1);
      await ctx.run(code.step, () => 2);
      await ctx.sleep({ seconds: 1 });
    }),
    /** Its step stays open until the test lets it go; then the handler makes many rows. */
    chunks: async (ctx: restate.Context) => {
      await ctx.run("chunk 93", () => 1);
      await ctx.run("chunk 94", () => gate.passed);
      await restate.RestatePromise.all(Array.from({ length: 40 }, (_, at) => ctx.run(`piece ${at}`, () => at)));
      await ctx.run("chunk 95", () => gate.ended);
    },
    fails: async (ctx: restate.Context, text: string) => {
      await ctx.run("first", () => 1);
      throw new restate.TerminalError(`${text}\n${"detail ".repeat(1_500)}`, { errorCode: 418 });
    },
    odd: restate.handlers.handler(
      { input: flipped, output: flipped },
      async (_ctx: restate.Context, value: unknown) => value,
    ),
  },
});

/** What holds the steps of `chunks` open. */
export const gate = {
  pass: (): void => {},
  passed: Promise.resolve(),
  end: (): void => {},
  ended: Promise.resolve(),
};
gate.passed = new Promise((resolve) => (gate.pass = resolve));
gate.ended = new Promise((resolve) => (gate.end = resolve));

const charged = new Set<string>();

export const shelf = restate.object({
  name: "Shelf",
  handlers: {
    hold: async (ctx: restate.ObjectContext) => {
      ctx.set("held", true);
      return await ctx.awakeable<string>().promise;
    },
    peek: async (_ctx: restate.ObjectContext) => "peeked",
    /** Makes about 10,000 entries. Most of them are changes of state, which need no attempt of their own. */
    fill: async (ctx: restate.ObjectContext) => {
      for (let at = 0; at < 9_000; at++) ctx.set(`key ${at}`, at);
      for (let batch = 0; batch < 5; batch++) {
        await restate.RestatePromise.all(Array.from({ length: 100 }, (_, at) => ctx.run(`step ${at % 7}`, () => at)));
      }
    },
  },
});
