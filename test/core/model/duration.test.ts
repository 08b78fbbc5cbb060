/** Tests durations as texts: in ISO 8601 form, in units, and refused texts. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDurationMs } from "../../../shared/core/model/duration.ts";

test.each([
  ["PT5S", 5_000],
  ["pt5s", 5_000],
  ["P1DT2H", 93_600_000],
  ["P2W", 1_209_600_000],
  ["PT1.5S", 1_500],
  ["PT0,25S", 250],
  ["PT0S", 0],
  ["+PT1M", 60_000],
  ["5s", 5_000],
  ["5000ms", 5_000],
  ["1h30m", 5_400_000],
  ["1h 30m", 5_400_000],
  ["1 hour, 30 minutes", 5_400_000],
  ["10 sec", 10_000],
  ["1d 2h", 93_600_000],
  ["2 weeks", 1_209_600_000],
  ["1.5s", 1_500],
  ["1500us", 2],
  ["400000ns", 0],
  [" 1s ", 1_000],
  ["0ms", 0],
])("%j is %d ms", (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms);
});

test.each([
  "",
  " ",
  "+",
  "5",
  "-5s",
  "-PT5S",
  "P",
  "PT",
  "P1DT",
  "P1Y",
  "P1M",
  "1y",
  "2 months",
  "1mo",
  "5S",
  "s",
  "1h 1h",
  "1s 1h",
  "1.5h 3s",
  "PT1.5H3S",
  "PT1..5S",
  "PT.S",
  "1e3s",
  "5s ago",
  "1,s",
  "1s".repeat(100),
])("%j is not a duration", (text) => {
  expect(parseDurationMs(text)).toBeUndefined();
});

test.each(["99999999999999999w", "18446744073709551615ms", "P99999999999999999999D", `${"9".repeat(100)}s`])(
  "%j is the longest duration that a number holds exactly",
  (text) => {
    expect(parseDurationMs(text)).toBe(Number.MAX_SAFE_INTEGER);
  },
);

test("any text gives whole milliseconds or nothing", () => {
  const shaped = fc.stringMatching(/^[PT0-9., +smhdwu-]{0,20}$/);
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), shaped), (text) => {
      const ms = parseDurationMs(text);
      expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
    }),
  );
});

test("a duration in units or in ISO 8601 form is read back", () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.nat(59), fc.nat(59), fc.nat(999), (h, m, s, ms) => {
      const total = ((h * 60 + m) * 60 + s) * 1_000 + ms;
      expect(parseDurationMs(`${h}h${m}m ${s} seconds, ${ms}ms`)).toBe(total);
      expect(parseDurationMs(`PT${h}H${m}M${s}.${String(ms).padStart(3, "0")}S`)).toBe(total);
    }),
  );
});
