/** Tests that settings which an operator has changed outlast a new manifest, and do not count as a change of the manifest. */
import { expect, it } from "vitest";
import { withChangedSettings } from "../../../shared/core/registry/effective-settings.ts";
import { sameManifest } from "../../../shared/core/registry/same-manifest.ts";
import { service } from "./sample-deployment.ts";

const announced = { abortTimeoutMs: 1_000, journalRetentionMs: 2_000 };
const offered = { ...service("A", ["x"]), settings: announced };
const changed = {
  ...offered,
  revision: 1,
  settings: { ...announced, abortTimeoutMs: 5_000, private: true },
  announcedSettings: announced,
};
const manifestWith = (services: readonly (typeof offered)[]) => ({
  protocolMode: "bidi-stream" as const,
  minProtocolVersion: 5,
  maxProtocolVersion: 7,
  services,
});

it("a setting that an operator changed does not count as a change of the manifest, but a newly announced setting does", () => {
  expect(sameManifest(manifestWith([changed]), manifestWith([offered]))).toBe(true);
  const other = { ...offered, settings: { ...announced, abortTimeoutMs: 5_000, private: true } };
  expect(sameManifest(manifestWith([changed]), manifestWith([other]))).toBe(false);
});

it("a new manifest keeps the changed settings, and takes the others as announced", () => {
  const next = { ...service("A", ["x", "y"]), settings: { abortTimeoutMs: 7_000, journalRetentionMs: 8_000 } };
  expect(withChangedSettings([changed], [next])).toEqual([
    {
      ...next,
      settings: { abortTimeoutMs: 5_000, journalRetentionMs: 8_000, private: true },
      announcedSettings: next.settings,
    },
  ]);
});

it.each([
  ["was never changed", { ...changed, announcedSettings: undefined }],
  ["has another type now", { ...changed, type: "object" as const }],
  ["has another name now", { ...changed, name: "B" }],
])("a service that %s is taken as announced", (_what, { announcedSettings, ...before }) => {
  const registered = { ...before, ...(announcedSettings && { announcedSettings }) };
  expect(withChangedSettings([registered], [offered])).toEqual([offered]);
});
