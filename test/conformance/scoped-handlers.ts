/** Handlers that call and wait in scopes, and the number of them that run at a time. */
import "../../examples/polyfill.mjs";
import { randomUUID } from "node:crypto";
import * as restate from "@restatedev/restate-sdk";
import type { Context, ObjectContext, ObjectSharedContext } from "@restatedev/restate-sdk";

// The exact optional property of the SDK's own type refuses its own serde.
const json = restate.serde.json as unknown as restate.Serde<unknown>;

/** One call of many that a proxy makes. */
export interface ProxyRequest {
  readonly service: string;
  readonly handler: string;
  readonly input: unknown;
  readonly scope?: string;
  readonly limitKey?: string;
}

/** How many attempts of `BlockingProxy/block` run in this process, by the key that each blocks. */
export class Blocked {
  readonly #now = new Map<string, number>();
  #most = 0;

  get most(): number {
    return this.#most;
  }

  begin(key: string, ends: AbortSignal): void {
    this.#count(key, 1);
    ends.addEventListener("abort", () => this.#count(key, -1), { once: true });
  }

  #count(key: string, more: number): void {
    this.#now.set(key, (this.#now.get(key) ?? 0) + more);
    this.#most = Math.max(
      this.#most,
      [...this.#now.values()].reduce((sum, one) => sum + one, 0),
    );
  }
}

export function scopedServices(blocked: Blocked) {
  const blocker = restate.object({
    name: "Blocker",
    handlers: {
      run: async (ctx: ObjectContext): Promise<string> => {
        const { id, promise } = ctx.awakeable<string>();
        ctx.set("awakeable", id);
        const result = await promise;
        ctx.set("result", result);
        return result;
      },
      awakeable: restate.handlers.object.shared(async (ctx: ObjectSharedContext) => await ctx.get<string>("awakeable")),
      result: restate.handlers.object.shared(async (ctx: ObjectSharedContext) => await ctx.get<string>("result")),
    },
  });
  const blockingProxy = restate.service({
    name: "BlockingProxy",
    handlers: {
      block: async (ctx: Context, key: string): Promise<string> => {
        blocked.begin(key, ctx.request().attemptCompletedSignal);
        return await ctx.objectClient(blocker, key).run();
      },
    },
  });
  const proxy = restate.service({
    name: "Proxy",
    handlers: {
      sendMany: async (ctx: Context, requests: readonly ProxyRequest[]): Promise<void> => {
        for (const { service, handler, input, ...flow } of requests)
          ctx.genericSend({ service, method: handler, parameter: input, inputSerde: json, ...flow });
      },
    },
  });
  const random = restate.service({
    name: "Random",
    handlers: { uuid: async (ctx: Context): Promise<string> => await ctx.run("uuid", () => randomUUID()) },
  });
  return [blocker, blockingProxy, proxy, random];
}
