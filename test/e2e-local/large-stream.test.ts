/** A hundred mebibytes over one open exchange of the SDK (ADR 0008). */
import { afterEach, expect, test } from "vitest";
import { service, type Context } from "@restatedev/restate-sdk";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";

const RUNS = 100;
const MIB = 1024 * 1024;

let stage: LocalStage;
afterEach(() => stage.close());

test("a handler whose runs return a total of 100 MiB completes in one attempt over one open exchange", async () => {
  let attempts = 0;
  let closures = 0;
  const large = service({
    name: "Large",
    handlers: {
      waits: async (ctx: Context) => await ctx.sleep(1),
      runs: async (ctx: Context, count: number) => {
        attempts += 1;
        let size = 0;
        for (let at = 0; at < count; at++) {
          const text = await ctx.run(`run ${at}`, () => {
            closures += 1;
            return String.fromCharCode(97 + (at % 26)).repeat(MIB);
          });
          size += text.length;
        }
        return size;
      },
    },
  });
  stage = await openLocalStage({ services: [large] });
  const call = async (count: number): Promise<unknown> => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: String(count) };
    const response = await fetch(`${stage.ingressUri}/Large/runs`, init);
    return await response.json();
  };
  expect(await call(1)).toBe(MIB);
  [attempts, closures] = [0, 0];
  const fromMs = performance.now();
  expect(await call(RUNS)).toBe(RUNS * MIB);
  console.log(
    `${RUNS} MiB took ${Math.round(performance.now() - fromMs)} ms, ${attempts} attempts, ${closures} closures; the process has ${Math.round(process.memoryUsage.rss() / MIB)} MiB`,
  );
  expect({ attempts, closures }).toEqual({ attempts: 1, closures: RUNS });
});
