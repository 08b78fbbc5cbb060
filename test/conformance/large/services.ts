/** Handlers whose journals grow large: by the size of one entry, or by the number of entries. */
import "../../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk";
import { attemptsOf, countAttempt } from "../attempts.ts";

const { RestatePromise, handlers, serde } = restate;
const BYTES = { input: serde.binary, output: serde.binary };
const indices = (count: number) => Array.from({ length: count }, (_, index) => index);
const distinct = new Set<number>();
let ran = 0;

export const leaf = restate.service({
  name: "Leaf",
  handlers: {
    double: async (_ctx, value: number) => value * 2,
    note: async (_ctx, value: number) => {
      distinct.add(value);
      ran++;
    },
    /** The number of distinct values, and the number of calls. */
    noted: async () => [distinct.size, ran] as const,
    attempts: async (_ctx, id: string) => attemptsOf(id),
  },
});

export const large = restate.service({
  name: "Large",
  handlers: {
    echo: handlers.handler(BYTES, async (ctx, value: Uint8Array) => {
      countAttempt(ctx.request().id);
      return value;
    }),
    throughRun: handlers.handler(BYTES, async (ctx, value: Uint8Array) => {
      countAttempt(ctx.request().id);
      return await ctx.run("value", () => value, { serde: serde.binary });
    }),
    throughCall: handlers.handler(BYTES, async (ctx, value: Uint8Array) => {
      countAttempt(ctx.request().id);
      return await ctx.genericCall<Uint8Array, Uint8Array>({
        service: "Large",
        method: "echo",
        parameter: value,
        inputSerde: serde.binary,
        outputSerde: serde.binary,
      });
    }),
    sends: async (ctx, count: number) => {
      countAttempt(ctx.request().id);
      for (const index of indices(count)) ctx.serviceSendClient(leaf).note(index);
      return count;
    },
    /** Executes `rounds` rounds of `beside` parallel runs each. */
    runs: async (ctx, { rounds, beside }: { rounds: number; beside: number }) => {
      countAttempt(ctx.request().id);
      let sum = 0;
      for (const round of indices(rounds)) {
        const runs = indices(beside).map((index) => ctx.run(`run ${index} of round ${round}`, () => index));
        for (const value of await RestatePromise.all(runs)) sum += value;
      }
      return sum;
    },
    calls: async (ctx, count: number) => {
      countAttempt(ctx.request().id);
      const calls = indices(count).map((index) => ctx.serviceClient(leaf).double(index));
      return (await RestatePromise.all(calls)).reduce((sum, value) => sum + value, 0);
    },
  },
});
