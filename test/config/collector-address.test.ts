/** Settings that are addresses: accepted values, and values with which the process refuses to start. */
import { expect, test } from "vitest";
import { readSettings } from "../../shared/config/settings.ts";

const read = (address: string) =>
  readSettings({ environment: { STEPWELL_TRACING_ENDPOINT: address }, flags: {} }).settings["tracing-endpoint"];

test.each([
  ["http://localhost:4318", "http://localhost:4318/v1/traces"],
  ["otlp+http://localhost:4318/v1/traces", "http://localhost:4318/v1/traces"],
  ["otlp+https://collector.example", "https://collector.example/v1/traces"],
  ["OTLP+HTTP://localhost:4317", "http://localhost:4317/v1/traces"],
  ["http://localhost:4317", "grpc://localhost:4317"],
  ["https://collector.example:4317/", "grpcs://collector.example:4317"],
  ["grpc://localhost:9999", "grpc://localhost:9999"],
  ["grpcs://collector.example:443", "grpcs://collector.example"],
  ["otlp+grpc://[::1]:4317", "grpc://[::1]:4317"],
  ["http://localhost:4317/v1/traces", "http://localhost:4317/v1/traces"],
  ["https://collector.example/tenant/v1/traces?a=b", "https://collector.example/tenant/v1/traces?a=b"],
])("%s is read", (address, expected) => {
  expect(read(address)).toBe(expected);
});

test.each(["localhost:4318", "collector", "ftp://collector", "http://", ""])("'%s' makes the start fail", (address) => {
  expect(() => read(address)).toThrow(
    expect.objectContaining({ code: "RT0002", message: expect.stringContaining("STEPWELL_TRACING_ENDPOINT") }),
  );
});

test.each(["otlp://localhost:4317", "grpc://localhost:4317/v1/traces", "udp://localhost:4318", "grpc:localhost:4317"])(
  "%s makes the start fail, and the message shows an address for each transport",
  (address) => {
    expect(() => read(address)).toThrow(
      expect.objectContaining({
        code: "RT0002",
        message: expect.stringMatching(/http:\/\/localhost:4318.*grpc:\/\/localhost:4317/),
      }),
    );
  },
);

test("nothing is traced without a setting", () => {
  expect(readSettings({ environment: {}, flags: {} }).settings["tracing-endpoint"]).toBeUndefined();
});
