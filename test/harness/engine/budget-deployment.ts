/**
 * The deployment with which the write budget is measured: the real SDK on a free port, with the handlers that the measured
 * requests call.
 */
import "../../../examples/polyfill.mjs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as restate from "@restatedev/restate-sdk";
import type { Context } from "@restatedev/restate-sdk";
import { keyedServices } from "./budget-keyed-services.ts";

export interface BudgetDeployment {
  readonly uri: string;
  /** The ids of awakeables that handlers await, in order. */
  readonly awakeables: readonly string[];
  /** How often each counted closure or handler was executed, by the name in the input of the call. */
  readonly executions: ReadonlyMap<string, number>;
  /** The number of handlers that wait at the gate. */
  readonly atGate: number;
  /** Lets the waiting handlers pass. */
  openGate(): void;
  stop(): Promise<void>;
}

export async function startBudgetDeployment(): Promise<BudgetDeployment> {
  const awakeables: string[] = [];
  const executions = new Map<string, number>();
  const gate = new Set<() => void>();
  const pass = (): Promise<void> => new Promise((resolve) => gate.add(resolve));
  const services = [leaf(awakeables, executions, pass), caller, ...keyedServices(pass)];
  const server = createServer(restate.createEndpointHandler({ services, logger: () => {} }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    awakeables,
    executions,
    get atGate() {
      return gate.size;
    },
    openGate() {
      for (const pass of gate) pass();
      gate.clear();
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function leaf(awakeables: string[], executions: Map<string, number>, pass: () => Promise<void>) {
  const execute = (name: string): number => {
    const count = (executions.get(name) ?? 0) + 1;
    executions.set(name, count);
    return count;
  };
  return restate.service({
    name: "Leaf",
    handlers: {
      echo: async (_ctx: Context, text: string) => text,
      steps: async (ctx: Context, count: number) => {
        for (let step = 0; step < count; step++) await ctx.run(`step ${step}`, () => step);
        return count;
      },
      sleep: async (ctx: Context, ms: number) => {
        await ctx.sleep(ms);
        return "slept";
      },
      sleepTwice: async (ctx: Context, ms: number) => {
        await ctx.sleep(ms);
        await ctx.sleep(ms);
        return "slept";
      },
      signalled: async (ctx: Context) => {
        const { id, promise } = ctx.awakeable<string>();
        awakeables.push(id);
        return await promise;
      },
      atGate: async (_ctx: Context, text: string) => {
        await pass();
        return text;
      },
      /** Commits a step and then waits at a gate: a takeover must not repeat the step. */
      stepThenGate: async (ctx: Context, name: string) => {
        const first = await ctx.run("first", () => execute(name));
        if (execute(`${name}, after the step`) === 1) await pass();
        return first;
      },
      signalThenGate: async (ctx: Context) => {
        const { id, promise } = ctx.awakeable<string>();
        awakeables.push(id);
        const signal = await promise;
        await pass();
        return signal;
      },
      stumble: async (_ctx: Context, { name, times }: { name: string; times: number }) => {
        const count = execute(name);
        if (count <= times) throw new Error(`stumbled ${count} times`);
        return count;
      },
    },
  });
}

type Leaf = restate.ServiceDefinitionFrom<ReturnType<typeof leaf>>;
const LEAF = { name: "Leaf" } as Leaf;

const caller = restate.service({
  name: "Caller",
  handlers: {
    echo: async (ctx: Context, text: string) => ctx.serviceClient(LEAF).echo(text),
    chain: async (ctx: Context, depth: number): Promise<number> => {
      if (depth === 0) return 0;
      return 1 + (await ctx.serviceClient<typeof SELF>({ name: "Caller" }).chain(depth - 1));
    },
    sleep: async (ctx: Context, ms: number) => ctx.serviceClient(LEAF).sleep(ms),
    sendEcho: async (ctx: Context, text: string) => {
      ctx.serviceSendClient(LEAF).echo(text);
      return "sent";
    },
  },
});
declare const SELF: { chain(ctx: Context, depth: number): Promise<number> };
