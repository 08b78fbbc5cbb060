/** Handlers whose journals, states and payloads are large, and which return the digests of the stored values that they find. */
import { object, serde, service, type Context, type ObjectContext } from "@restatedev/restate-sdk/lambda";
import { Attempt, recordedIn, valueIn } from "./attempt.ts";
import { digestOf, noiseOf } from "./noise.ts";
import type { BulkResult, Kept, Pieces } from "./results.ts";

const RETRY_QUICKLY = { initialInterval: 50, maxInterval: 1_000, exponentiationFactor: 2 };
const options = { retryPolicy: RETRY_QUICKLY };

/**
 * @param prefix the beginning of the names of the services
 * @param ledgerPath the file for the lines of the closures
 */
export function bulkServices(prefix: string, ledgerPath: string) {
  const bulk = service({
    name: `${prefix}Bulk`,
    handlers: {
      /** Large results of closures, with a sleep in between, during which the journal is stored and no attempt runs. */
      runs: async (ctx: Context, { count, bytes, napMs }: Pieces): Promise<BulkResult> => {
        const attempt = new Attempt(ctx, ledgerPath);
        const kept: Uint8Array[] = [];
        for (let at = 1; at <= count; at++) {
          kept.push(await attempt.runLarge(`piece ${at}`, bytes));
          if (at === count - 1) await ctx.sleep(napMs);
        }
        const recorded = kept.map(recordedIn);
        const slept = { askedMs: napMs, fromMs: recorded.at(-2)!.atMs, toMs: recorded.at(-1)!.atMs };
        return {
          invocationId: attempt.invocationId,
          recorded,
          slept,
          digests: kept.map((each) => digestOf(valueIn(each))),
        };
      },
      /** Passes its large input to a call, whose journal then contains it too. */
      passes: async (ctx: Context, text: string): Promise<BulkResult> => {
        const attempt = new Attempt(ctx, ledgerPath);
        const first = await attempt.run("first");
        const child = await ctx.serviceClient(bulk).takes(text);
        const recorded = [first, await attempt.run("last")];
        const digests = [digestOf(Buffer.from(text)), ...child.digests];
        return { invocationId: attempt.invocationId, recorded, children: [child], digests };
      },
      takes: async (ctx: Context, text: string): Promise<BulkResult> => {
        const attempt = new Attempt(ctx, ledgerPath);
        const recorded = [await attempt.run("step 1")];
        return { invocationId: attempt.invocationId, recorded, digests: [digestOf(Buffer.from(text))] };
      },
    },
    options,
  });
  const hoard = object({
    name: `${prefix}Hoard`,
    handlers: {
      keep: async (ctx: ObjectContext, { count, bytes, seed }: Kept): Promise<BulkResult> => {
        const attempt = new Attempt(ctx, ledgerPath);
        const enter = await attempt.run("enter");
        for (let at = 1; at <= count; at++) ctx.set(`piece ${at}`, noiseOf(`${seed} piece ${at}`, bytes), serde.binary);
        const recorded = [enter, await attempt.run("leave")];
        return { invocationId: attempt.invocationId, recorded, digests: [] };
      },
      look: async (ctx: ObjectContext, { count }: Kept): Promise<BulkResult> => {
        const attempt = new Attempt(ctx, ledgerPath);
        const enter = await attempt.run("enter");
        const digests: string[] = [];
        for (let at = 1; at <= count; at++) {
          const kept = await ctx.get<Uint8Array>(`piece ${at}`, serde.binary);
          digests.push(kept === null ? "nothing" : digestOf(kept));
        }
        ctx.clearAll();
        const recorded = [enter, await attempt.run("leave")];
        return { invocationId: attempt.invocationId, recorded, digests };
      },
    },
    options,
  });
  return [bulk, hoard];
}
