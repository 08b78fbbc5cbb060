/** A running local process with a few invocations, schedules and a limit, and the metrics that it shows to Prometheus. */
import * as restate from "@restatedev/restate-sdk";
import { expect, vi } from "vitest";
import { sweep } from "../../shared/engine/sweep/sweep.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { fetch } from "../harness/local/admin-access.ts";
import { SEEN_WITHIN } from "../patience.ts";
import { namesInQuery } from "./promql-names.ts";

/** Prometheus adds these labels to each metric that it scrapes. */
export const ADDED = new Set(["instance", "job"]);

/** The values of each label of each metric, read from a text in the format of Prometheus. */
export type Scraped = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

export function scrapedOf(page: string): Scraped {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const [, name, labels = ""] of page.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = found.get(name!) ?? new Map<string, Set<string>>();
    found.set(name!, known);
    for (const [, label, value] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      known.set(label!, (known.get(label!) ?? new Set()).add(value!));
  }
  return found;
}

/** @returns a sentence for each metric, label and value of the query that the page lacks */
export function missingIn(scraped: Scraped, query: string): string[] {
  const { metrics, labels } = namesInQuery(query);
  return [
    ...metrics.filter((metric) => !scraped.has(metric)).map((metric) => `no metric ${metric}`),
    ...labels.flatMap(({ metrics: all, label, value }) =>
      all
        .filter(() => !ADDED.has(label))
        .filter((metric) => {
          const values = scraped.get(metric)?.get(label);
          return values === undefined || (value !== undefined && !values.has(value));
        })
        .map((metric) => `no ${metric} with ${label}${value === undefined ? "" : `=${value}`}`),
    ),
  ];
}

/** The caller closes the stage. */
export async function scrapedStage(): Promise<{ stage: LocalStage; page: string; scraped: Scraped }> {
  let letGo = (): void => undefined;
  const isAwaited = new Promise<void>((resolve) => (letGo = resolve));
  const handlers = {
    greet: async () => "hello",
    sleep: (context: restate.Context) => context.sleep({ days: 1 }),
    /** Keeps its place until another one waits for it. */
    meet: () => isAwaited,
    fail: async () => {
      throw new Error("no more");
    },
    stop: async () => {
      throw new restate.TerminalError("no more");
    },
  };
  const options = { retryPolicy: { maxAttempts: 1, onMaxAttempts: "pause" as const } };
  const stage = await openLocalStage({ services: [restate.service({ name: "Greeter", handlers, options })] });
  const post = (path: string) => fetch(`${stage.ingressUri}/Greeter/${path}`, { method: "POST" });
  expect(await (await post("greet")).json()).toBe("hello");
  await limitOne(stage.adminUri, "handler:Greeter/meet");
  for (const path of ["sleep/send", "sleep/send", "fail/send", "meet/send", "meet/send"])
    expect((await post(path)).status).toBe(202);
  const { engine } = stage.local;
  await tickAndFailingRun(stage.adminUri);
  let page = "";
  const scrape = async () => {
    await sweep(engine, engine.clock.nowMs());
    page = await (await fetch(`${stage.adminUri}/metrics`)).text();
    if (/^stepwell_limit_waits_total\{.*\} 1$/m.test(page)) letGo();
    expect(page).toMatch(/^stepwell_open_invocations\{service="Greeter",status="paused"\} 1$/m);
    expect(page).toMatch(/^stepwell_open_invocations\{service="Greeter",status="suspended"\} 2$/m);
    // The pause is stored a moment before it is counted.
    expect(page).toMatch(/^stepwell_invocations_paused_total 1$/m);
    expect(page).toMatch(/^stepwell_schedule_faults_total 1$/m);
    expect(page).toMatch(/^stepwell_schedule_lateness_seconds_count 1$/m);
    expect(page).toMatch(/^stepwell_limit_wait_seconds_count 1$/m);
  };
  await vi.waitFor(scrape, { ...SEEN_WITHIN, interval: 100 });
  return { stage, page, scraped: scrapedOf(page) };
}

const JSON_HEADERS = { "content-type": "application/json" };

/** A schedule that ticks once, and one that never ticks, and whose run by hand fails. */
async function tickAndFailingRun(adminUri: string): Promise<void> {
  const schedule = async (name: string, plan: object) => {
    const body = JSON.stringify({ service: "Greeter", ...plan });
    const asked = { method: "PUT", headers: JSON_HEADERS, body };
    expect((await fetch(`${adminUri}/schedules/${name}`, asked)).status).toBe(201);
  };
  await schedule("once", { handler: "greet", interval: "1s", count: 1 });
  await schedule("nightly", { handler: "stop", interval: "1h", start: "2100-01-01T00:00:00Z" });
  const trigger = { method: "POST", headers: JSON_HEADERS, body: "{}" };
  expect((await fetch(`${adminUri}/schedules/nightly/trigger`, trigger)).status).toBe(202);
}

/** Lets one invocation run at a time. */
async function limitOne(adminUri: string, pattern: string): Promise<void> {
  const body = JSON.stringify([{ pattern, limits: { concurrency: 1 } }]);
  expect((await fetch(`${adminUri}/limits/rules`, { method: "PUT", headers: JSON_HEADERS, body })).status).toBe(200);
}
