/** Tests the exposition text after counts, observations and gauges. */
import { expect, test } from "vitest";
import { PrometheusMeter } from "../../../shared/adapters/system/prometheus-meter.ts";

async function linesOf(meter: PrometheusMeter): Promise<string[]> {
  return (await meter.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

test("counters add up per label set under the project's prefix", async () => {
  const meter = new PrometheusMeter();
  meter.count("attempts_total", { outcome: "completed" });
  meter.count("attempts_total", { outcome: "completed" }, 2);
  meter.count("attempts_total", { outcome: "failed" });
  meter.count("wakes_total");
  expect(await linesOf(meter)).toEqual([
    'stepwell_attempts_total{outcome="completed"} 3',
    'stepwell_attempts_total{outcome="failed"} 1',
    "stepwell_wakes_total 1",
  ]);
});

test("a gauge shows the last value", async () => {
  const meter = new PrometheusMeter();
  meter.gauge("open_invocations", 5);
  meter.gauge("open_invocations", 2);
  expect(await linesOf(meter)).toEqual(["stepwell_open_invocations 2"]);
});

test("observed seconds fall into buckets from under a millisecond to minutes", async () => {
  const meter = new PrometheusMeter();
  meter.observe("attempt_seconds", 0.0007);
  meter.observe("attempt_seconds", 120);
  const lines = await linesOf(meter);
  expect(lines).toContain('stepwell_attempt_seconds_bucket{le="0.0005"} 0');
  expect(lines).toContain('stepwell_attempt_seconds_bucket{le="0.001"} 1');
  expect(lines).toContain('stepwell_attempt_seconds_bucket{le="300"} 2');
  expect(lines).toContain("stepwell_attempt_seconds_count 2");
});

test("label sets above the limit are counted together as other", async () => {
  const meter = new PrometheusMeter({ labelSetsMax: 3 });
  for (let i = 0; i < 50; i += 1) meter.count("calls_total", { service: `s${i}` });
  meter.count("calls_total", { service: "s1" });
  expect(await linesOf(meter)).toEqual([
    'stepwell_calls_total{service="s0"} 1',
    'stepwell_calls_total{service="s1"} 2',
    'stepwell_calls_total{service="s2"} 1',
    'stepwell_calls_total{service="other"} 47',
  ]);
});

test("labels that the first use did not have are dropped, and nothing throws", async () => {
  const meter = new PrometheusMeter();
  meter.count("x_total", { a: "1" });
  meter.count("x_total", { a: "1", b: "2" });
  meter.count("x_total", {});
  expect(await linesOf(meter)).toEqual(['stepwell_x_total{a="1"} 2', 'stepwell_x_total{a=""} 1']);
});

test("bad names, negative counts and a name used for two kinds do not throw", async () => {
  const meter = new PrometheusMeter();
  meter.count("kept_total");
  meter.count("kept_total", {}, -1);
  meter.gauge("kept_total", 9);
  meter.count("not a name");
  meter.observe("odd_seconds", Number.NaN);
  expect(await linesOf(meter)).toContain("stepwell_kept_total 1");
});

test("two meters are independent", async () => {
  const one = new PrometheusMeter();
  const two = new PrometheusMeter();
  one.count("x_total");
  expect(await linesOf(two)).toEqual([]);
});

test("a call of `gauges` replaces all readings of a gauge, and old label sets no longer count towards the limit", async () => {
  const meter = new PrometheusMeter({ labelSetsMax: 2 });
  const of = (...services: string[]) => services.map((service, value) => ({ value, labels: { service } }));
  for (let at = 0; at < 10; at++) meter.gauges("open_invocations", of(`s${at}`, `t${at}`));
  meter.gauges("open_invocations", of("a", 'b"\n\\'));
  expect(await linesOf(meter)).toEqual([
    'stepwell_open_invocations{service="a"} 0',
    'stepwell_open_invocations{service="b\\"\\n\\\\"} 1',
  ]);
  meter.gauges("open_invocations", []);
  expect(await linesOf(meter)).toEqual([]);
});

test("a call of `gauges` with the name of a counter does not change the counter", async () => {
  const meter = new PrometheusMeter();
  meter.count("x_total");
  meter.gauges("x_total", [{ value: 5, labels: {} }]);
  expect(await linesOf(meter)).toEqual(["stepwell_x_total 1"]);
});
