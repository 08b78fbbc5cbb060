/** Settings that are addresses: accepted values, and values with which the process refuses to start. */
import { expect, test } from "vitest";
import { readSettings } from "../../shared/config/settings.ts";

const read = (address: string) =>
  readSettings({ environment: { STEPWELL_TRACING_ENDPOINT: address }, flags: {} }).settings["tracing-endpoint"];

test.each([
  ["http://localhost:4318", "http://localhost:4318/"],
  ["otlp+http://localhost:4318/v1/traces", "http://localhost:4318/v1/traces"],
  ["otlp+https://collector.example", "https://collector.example/"],
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

test.each(["otlp://localhost:4317", "grpc://localhost:4317", "http://localhost:4317", "otlp+http://localhost:4317/"])(
  "%s, the address of a collector over gRPC, makes the start fail, and the message names the address to use",
  (address) => {
    expect(() => read(address)).toThrow(
      expect.objectContaining({ code: "RT0002", message: expect.stringMatching(/gRPC.*4318/) }),
    );
  },
);

test("nothing is traced without a setting", () => {
  expect(readSettings({ environment: {}, flags: {} }).settings["tracing-endpoint"]).toBeUndefined();
});
