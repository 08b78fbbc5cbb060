/** The labels of the counts of open invocations: few, short, and without services if each label set has a price. */
import { describe, expect, test } from "vitest";
import { EmfMeter } from "../../../shared/adapters/system/emf-meter.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { OpenCount } from "../../../shared/engine/sweep/counts.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { service } from "../../core/registry/sample-deployment.ts";
import { sendOn } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { readingsOf } from "../../harness/engine/gauge-readings.ts";

const open = stages();
const MINUTE_MS = 60_000;
/** Days after the start of the stage's clock. */
const FAR_MS = Date.UTC(2026, 0, 9);

const waits: Handler = (ctx) => ctx.get(ctx.sleep(FAR_MS)).then(() => "slept");
const fails: Handler = () => {
  throw new Error("boom");
};

describe("labels", () => {
  const entryOf = (name: string, status = "suspended"): Item => ({
    pk: "inv#inv_1",
    sk: "hold#n",
    service: name,
    status,
  });

  test("name the services with the most open invocations, and the sum of the rest is `other`", async () => {
    const stage = await open({});
    const count = new OpenCount(stage.actor().engine);
    for (let at = 0; at < 3_000; at++)
      for (let times = at < 5 ? 3 : 1; times > 0; times--) count.add(entryOf(`s${at}`));
    const totals = [...count.counted(5)].map(([name, { total }]) => [name, total]);
    expect(totals).toEqual([...[0, 1, 2, 3, 4].map((at) => [`s${at}`, 3]), ["other", 2_995]]);
  });

  test("cut long names, and contain only statuses of the API", async () => {
    const stage = await open({});
    const count = new OpenCount(stage.actor().engine);
    count.add(entryOf("a".repeat(65_536)));
    count.add(entryOf("b", "completed"));
    count.add(entryOf("b", "__proto__"));
    expect([...count.counted(5)].map(([name, { total }]) => [name, total])).toEqual([
      ["a".repeat(100), 1],
      ["other", 0],
    ]);
  });

  test("are at most twenty services besides `other`", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `T${at}`);
    const stage = await open({ waits }, { services: names.map((name) => service(name, ["waits"])) });
    const actor = stage.actor();
    actor.startWorker();
    for (const name of names) await sendOn(actor, "waits", "", { target: { service: name, handler: "waits" } });
    await stage.pulse.pass(MINUTE_MS);
    await stage.pulse.within(MINUTE_MS, sweepOnce(actor.engine));
    expect(Object.keys(readingsOf(actor))).toHaveLength(21);
    expect(readingsOf(actor)["other suspended"]).toBe(10);
  });
});

interface Line {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [name: string]: unknown;
}

/** Each metric of the counts with its dimensions and its value. */
function metricsIn(lines: readonly Line[]): string[] {
  const all = lines.flatMap((line) =>
    line._aws.CloudWatchMetrics.flatMap(({ Dimensions, Metrics }) =>
      Metrics.map(
        ({ Name }) => `${Name} ${Dimensions[0]!.map((one) => String(line[one])).join(" ")}: ${String(line[Name])}`,
      ),
    ),
  );
  return all.filter((text) => /open|ready/.test(text)).sort();
}

describe("if each label set has a price", () => {
  test("statuses alone are labels, and nothing is written without an open invocation", async () => {
    const stage = await open({ waits, fails }, { retry: { maxAttempts: 1 } });
    const actor = stage.actor();
    const lines: Line[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Line);
    const meter = new EmfMeter({ namespace: "N", dimensions: { Environment: "e" }, clock: stage.pulse, write });
    const pass = async () => {
      await stage.pulse.within(MINUTE_MS, sweepOnce({ ...actor.engine, meter }));
      meter.flush();
      return metricsIn(lines.splice(0));
    };
    expect(await pass()).toEqual([]);
    actor.startWorker();
    for (let at = 0; at < 2; at++) await sendOn(actor, "waits");
    await sendOn(actor, "fails");
    await stage.pulse.pass(MINUTE_MS);
    expect(await pass()).toEqual([
      "oldest_ready_seconds e: 0",
      "open_invocations e paused: 1",
      "open_invocations e suspended: 2",
    ]);
  });
});
