/**
 * Without an endpoint for traces, the process makes no tracer, loads no package for traces, and passes the caller's trace
 * context on unchanged.
 */
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { openStage } from "../../errors/stage.ts";
import { allocatingFunctions } from "./allocating-functions.ts";
import { startTraced } from "./traced-services.ts";

const JSON_TYPE = { "content-type": "application/json" };
/** The files for traces, and the two functions that make the span of a request. */
const OF_TRACES = /\/shared\/.*(tracing|trace-context|traces|call-route\.ts answer(InSpan|Traced)$)/;
const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** @returns the loaded files of OpenTelemetry, without the bare interfaces, which the metrics import as well */
function loadedForTraces(): string[] {
  const paths = Object.keys(createRequire(import.meta.url).cache);
  return paths.filter((path) => path.includes("/@opentelemetry/") && !path.includes("/@opentelemetry/api/"));
}

test("the packages for traces are loaded only if the setting names an endpoint", async () => {
  const plain = await openStage();
  expect(plain.local.engine.tracer).toBeUndefined();
  expect(loadedForTraces()).toEqual([]);
  const traced = await openStage({ "tracing-endpoint": "http://127.0.0.1:1" });
  expect(traced.local.engine.tracer).toBeDefined();
  expect(loadedForTraces()).not.toEqual([]);
});

test("the caller's traceparent goes to the deployment of the call and of its children unchanged", async () => {
  const deployment = await startTraced();
  const stage = await openStage();
  await stage.register(deployment.uri);
  const headers = { ...JSON_TYPE, traceparent: TRACEPARENT };
  await fetch(`${stage.local.ingressUrl}Outer/greet`, { method: "POST", headers, body: '"you"' });
  const told = [...deployment.told.outer, ...deployment.told.inner];
  expect(new Set(told)).toEqual(new Set([TRACEPARENT]));
});

test("a plain call makes no object for traces, and a traced one does", async () => {
  const deployment = await startTraced();
  const ofTraces = async (settings: Parameters<typeof openStage>[0]): Promise<string[]> => {
    const stage = await openStage(settings);
    await stage.register(deployment.uri);
    const ask = () =>
      fetch(`${stage.local.ingressUrl}Inner/greet`, { method: "POST", headers: JSON_TYPE, body: '"you"' });
    await ask();
    const places = [...(await allocatingFunctions(async () => void (await ask()))).keys()];
    expect(places.some((place) => place.includes("shared/engine/drive/drive.ts "))).toBe(true);
    const files = places.filter((place) => OF_TRACES.test(place)).map((place) => place.split(" ", 1)[0]!);
    return [...new Set(files)].map((file) => file.slice(file.lastIndexOf("/") + 1));
  };
  expect(await ofTraces({})).toEqual([]);
  const traced = await ofTraces({ "tracing-endpoint": "http://127.0.0.1:1" });
  expect(traced.toSorted()).toEqual(["call-route.ts", "otlp-tracer.ts", "trace-context.ts", "traces.ts"]);
});
