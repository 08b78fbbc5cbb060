/**
 * Tests effective settings: a handler's setting overrides the service's, which overrides the server's. The server's maximum
 * limits the journal retention, wherever it is set.
 */
import { describe, expect, it } from "vitest";
import type { EffectiveSettings, HandlerSettings } from "../../../shared/core/model/service.ts";
import { effectiveSettings, settingsNotices } from "../../../shared/core/registry/effective-settings.ts";
import { handler, service } from "./sample-deployment.ts";

const DEFAULTS: EffectiveSettings = {
  abortTimeoutMs: 600_000,
  inactivityTimeoutMs: 60_000,
  journalRetentionMs: 86_400_000,
  idempotencyRetentionMs: 86_400_000,
  workflowRetentionMs: 86_400_000,
  lazyState: false,
  public: true,
  retry: { initialIntervalMs: 500, maxIntervalMs: 60_000, factor: 2, maxAttempts: 70, onMaxAttempts: "pause" },
};

function resolve(own: HandlerSettings, above: HandlerSettings = {}, max?: number): EffectiveSettings {
  const h = handler("h", { settings: own });
  const maxima = max === undefined ? {} : { journalRetentionMaxMs: max };
  return effectiveSettings({ ...service("S", []), handlers: [h], settings: above }, h, DEFAULTS, maxima);
}

describe("effective settings", () => {
  it("are the server's by default", () => {
    expect(resolve({})).toEqual(DEFAULTS);
  });

  it.each<
    [keyof HandlerSettings, number | boolean | string, number | boolean | string, (s: EffectiveSettings) => unknown]
  >([
    ["abortTimeoutMs", 1, 2, (s) => s.abortTimeoutMs],
    ["inactivityTimeoutMs", 0, 2, (s) => s.inactivityTimeoutMs],
    ["journalRetentionMs", 0, 2, (s) => s.journalRetentionMs],
    ["idempotencyRetentionMs", 1, 2, (s) => s.idempotencyRetentionMs],
    ["workflowRetentionMs", 1, 2, (s) => s.workflowRetentionMs],
    ["lazyState", true, false, (s) => s.lazyState],
    ["retryInitialIntervalMs", 1, 2, (s) => s.retry.initialIntervalMs],
    ["retryMaxIntervalMs", 1, 2, (s) => s.retry.maxIntervalMs],
    ["retryFactor", 1.5, 3, (s) => s.retry.factor],
    ["retryMaxAttempts", 1, 2, (s) => s.retry.maxAttempts],
    ["retryOnMaxAttempts", "kill", "pause", (s) => s.retry.onMaxAttempts],
  ])("take %s from the handler, else from the service", (key, own, above, read) => {
    expect(read(resolve({ [key]: own }, { [key]: above }))).toBe(own);
    expect(read(resolve({}, { [key]: above }))).toBe(above);
  });

  it.each([
    [undefined, undefined, true],
    [undefined, true, false],
    [true, undefined, false],
    [false, true, true],
  ])("of a handler with private=%s in a service with private=%s have public=%s", (own, above, expected) => {
    const of = (value: boolean | undefined) => (value === undefined ? {} : { private: value });
    expect(resolve(of(own), of(above)).public).toBe(expected);
  });

  it("count a maximum of zero attempts as one, because the first attempt counts", () => {
    expect(resolve({ retryMaxAttempts: 0 }).retry.maxAttempts).toBe(1);
  });

  it("limit the journal retention to its maximum, also the retention that the server sets", () => {
    expect(resolve({ journalRetentionMs: 50 }, {}, 10).journalRetentionMs).toBe(10);
    expect(resolve({}, {}, 10).journalRetentionMs).toBe(10);
    expect(resolve({ journalRetentionMs: 5 }, {}, 10).journalRetentionMs).toBe(5);
  });
});

describe("notices about settings without effect", () => {
  it.each([
    ["an inactivity timeout in request-response mode", { inactivityTimeoutMs: 5 }, "request-response", ["RT0021"]],
    ["an inactivity timeout on a stream", { inactivityTimeoutMs: 5 }, "bidi-stream", []],
    ["a journal kept too long", { journalRetentionMs: 11 }, "bidi-stream", ["RT0022"]],
    ["a journal kept for exactly the maximum", { journalRetentionMs: 10 }, "request-response", []],
  ] as const)("%s", (_name, settings, mode, codes) => {
    expect(settingsNotices(settings, mode, { journalRetentionMaxMs: 10 }).map((n) => n.code)).toEqual(codes);
  });
});
