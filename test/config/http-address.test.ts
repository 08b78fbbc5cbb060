/** Settings that are addresses: accepted values, and values that refuse the start. */
import { expect, test } from "vitest";
import { readSettings } from "../../shared/config/settings.ts";

const read = (address: string) =>
  readSettings({ environment: { STEPWELL_TRACING_ENDPOINT: address }, flags: {} }).settings["tracing-endpoint"];

test.each([
  ["http://localhost:4318", "http://localhost:4318/"],
  ["https://collector.example/tenant/v1/traces?a=b", "https://collector.example/tenant/v1/traces?a=b"],
])("%s is read", (address, expected) => {
  expect(read(address)).toBe(expected);
});

test.each(["localhost:4318", "collector", "ftp://collector", "http://", ""])("'%s' refuses the start", (address) => {
  expect(() => read(address)).toThrow(
    expect.objectContaining({ code: "RT0002", message: expect.stringContaining("STEPWELL_TRACING_ENDPOINT") }),
  );
});

test("nothing is traced without a setting", () => {
  expect(readSettings({ environment: {}, flags: {} }).settings["tracing-endpoint"]).toBeUndefined();
});
