/** Tests the scale of a timeline: monotone, invertible, with long waits collapsed; and its ticks. */
import { describe, expect, test } from "vitest";
import { GAP_PX, gapsOf, timeScale, toMs, toPx, ticksOf, type Span } from "../../../../ui/model/timeline/scale.ts";
import { randomOf } from "./sample-facts.ts";

const span = (startMs: number, endMs: number): Span => ({ startMs, endMs });
const HOUR = 3_600_000;

describe("a collapsed wait", () => {
  test.each([
    [
      "of two hours between two seconds of work",
      span(0, 2 * HOUR),
      [span(0, 1000), span(2 * HOUR - 1000, 2 * HOUR)],
      1,
    ],
    ["does not replace a wait below two seconds", span(0, 3000), [span(0, 600), span(2500, 3000)], 0],
    [
      "does not replace a wait of less than a tenth of the time",
      span(0, 100_000),
      [span(0, 50_000), span(55_000, 100_000)],
      0,
    ],
    ["at the end of an open invocation", span(0, HOUR), [span(0, 400)], 1],
    ["of an invocation in which nothing runs", span(0, HOUR), [], 1],
    ["does not exist while waits are shown whole", span(0, HOUR), undefined, 0],
  ])("%s", (_, shown, busy, count) => {
    expect(gapsOf(timeScale(shown, 800, busy))).toHaveLength(count);
  });

  test("has one width whatever its length", () => {
    const [gap] = gapsOf(timeScale(span(0, 2 * HOUR), 800, [span(0, 1000), span(2 * HOUR - 1000, 2 * HOUR)]));
    expect([gap!.toPx - gap!.fromPx, gap!.fromMs, gap!.toMs]).toEqual([GAP_PX, 1000, 2 * HOUR - 1000]);
  });

  test("leaves half of a narrow timeline to what runs", () => {
    const busy = Array.from({ length: 9 }, (_, at) => span(at * 10_000, at * 10_000 + 10));
    const gaps = gapsOf(timeScale(span(0, 80_010), 200, busy));
    expect(gaps.length * GAP_PX).toBeLessThanOrEqual(100);
  });
});

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

test.each(SEEDS)(
  "a later moment never has a smaller position, and each position gives its moment back (seed %i)",
  (seed) => {
    const random = randomOf(seed);
    const endMs = 1 + Math.floor(10 ** (random() * 9));
    const busy = Array.from({ length: Math.floor(random() * 30) }, () => {
      const startMs = random() * endMs;
      return span(startMs, startMs + random() * 0.1 * endMs);
    });
    const scale = timeScale(span(0, endMs), 100 + random() * 1500, random() < 0.2 ? undefined : busy);
    expect(scale.parts[0]!.fromPx).toBe(0);
    expect(scale.parts.at(-1)!.toPx).toBeCloseTo(scale.widthPx, 6);
    let lastPx = -1;
    for (let at = 0; at <= 200; at++) {
      const ms = (endMs * at) / 200;
      const px = toPx(scale, ms);
      expect(px).toBeGreaterThanOrEqual(lastPx);
      expect(Math.abs(toMs(scale, px) - ms)).toBeLessThanOrEqual(1e-6 * endMs);
      lastPx = px;
    }
    const ticks = ticksOf(scale, 0);
    expect(ticks.length).toBeLessThanOrEqual(9);
    for (const tick of ticks) expect(Math.abs(toMs(scale, tick.px) - tick.atMs)).toBeLessThanOrEqual(1e-6 * endMs);
    for (const [at, { px }] of ticks.entries()) if (at > 0) expect(px - ticks[at - 1]!.px).toBeGreaterThanOrEqual(64);
  },
);

test.each(SEEDS)("a scale without collapsed waits has 4 to 9 ticks (seed %i)", (seed) => {
  const endMs = 10 + 10 ** (1 + 8 * randomOf(seed)());
  const ticks = ticksOf(timeScale(span(0, endMs), 900, undefined), 0);
  expect(ticks.length).toBeGreaterThanOrEqual(4);
  expect(ticks.length).toBeLessThanOrEqual(9);
});

test.each([
  [900, ["0", "200 ms", "400 ms", "600 ms"]],
  [7_000, ["0", "1 s", "2 s", "3 s"]],
  [100_000, ["0", "15 s", "30 s", "45 s"]],
  [3 * HOUR, ["0", "30 m", "1 h", "1 h 30 m"]],
])("%i ms have ticks in round steps", (endMs, first) => {
  const texts = ticksOf(timeScale(span(0, endMs), 900, undefined), 0).map(({ text }) => text);
  expect(texts.slice(0, 4)).toEqual(first);
});

test("ticks count from the creation also in a narrower range", () => {
  const ticks = ticksOf(timeScale(span(10_500, 14_500), 900, undefined), 10_000);
  expect(ticks.map(({ text }) => text)).toEqual(["1 s", "2 s", "3 s", "4 s"]);
});

test.each([[span(184_000, 184_900)], [span(7_380_000, 7_381_000)], [span(93_600_000, 93_660_000)]])(
  "no two ticks of a narrow range late in a long invocation read alike",
  (shown) => {
    const texts = ticksOf(timeScale(shown, 900, undefined), 0).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(3);
    expect(new Set(texts).size).toBe(texts.length);
  },
);
