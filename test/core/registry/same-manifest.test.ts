/** Tests the comparison of manifests, the choice of a service's latest revision, and the form in which an address is stored. */
import { describe, expect, it } from "vitest";
import { addressText, parseAddress } from "../../../shared/core/registry/deployment-identity.ts";
import { latestRevisions } from "../../../shared/core/registry/latest-revisions.ts";
import {
  manifestDifferences,
  sameManifest,
  type DiscoveredManifest,
} from "../../../shared/core/registry/same-manifest.ts";
import { deployment, handler, service } from "./sample-deployment.ts";

const A = service("A", ["x"]);
const BASE: DiscoveredManifest = {
  protocolMode: "bidi-stream",
  minProtocolVersion: 5,
  maxProtocolVersion: 7,
  services: [A, service("B", ["y"])],
};

describe("a manifest", () => {
  it("is the same in any order of its services and keys", () => {
    const metadata = { ...A, metadata: { k: "1", l: "2" } };
    const turned = { ...A, metadata: { l: "2", k: "1" } };
    expect(
      sameManifest(
        { ...BASE, services: [metadata, service("B", ["y"])] },
        { ...BASE, services: [service("B", ["y"]), turned] },
      ),
    ).toBe(true);
  });

  it.each<[string, Partial<DiscoveredManifest>]>([
    ["another mode", { protocolMode: "request-response" }],
    ["another version", { maxProtocolVersion: 6 }],
    ["one service less", { services: [A] }],
    ["another handler", { services: [service("A", ["z"]), service("B", ["y"])] }],
    [
      "another setting",
      { services: [{ ...A, handlers: [handler("x", { settings: { lazyState: true } })] }, service("B", ["y"])] },
    ],
    [
      "another schema",
      {
        services: [
          { ...A, handlers: [handler("x", { input: { required: true, jsonSchema: { type: "string" } } })] },
          service("B", ["y"]),
        ],
      },
    ],
  ])("with %s is different", (_name, change) => {
    expect(sameManifest(BASE, { ...BASE, ...change })).toBe(false);
    expect(sameManifest({ ...BASE, ...change }, BASE)).toBe(false);
  });

  it("is compared member by member, with both sides and a missing side", () => {
    const now = { ...BASE, services: [service("A", ["z"], { type: "object" }), service("C", [])] };
    expect(manifestDifferences(BASE, now)).toEqual([
      { service: "A", member: "type", registered: "service", found: "object" },
      { service: "A", handler: "x", member: "handler", registered: "service" },
      { service: "A", handler: "z", member: "handler", found: "service" },
      { service: "B", member: "service", registered: "service" },
      { service: "C", member: "service", found: "service" },
    ]);
  });

  it("is compared with the settings that were announced, also if an operator has changed them", () => {
    const changed = deployment(1, [{ ...A, settings: { lazyState: true } }], {});
    const [one] = changed.services;
    const announced = { ...BASE, services: [{ ...one!, announcedSettings: {} }] };
    expect(manifestDifferences(announced, { ...BASE, services: [A] })).toEqual([]);
    expect(manifestDifferences(changed, { ...BASE, services: [A] })).toEqual([
      { service: "A", member: "settings", registered: '{"lazyState":true}', found: "{}" },
    ]);
  });
});

describe("the latest revision", () => {
  it("is the highest, in any order", () => {
    const old = deployment(2, [{ ...A, revision: 1 }]);
    const young = deployment(1, [{ ...A, revision: 2 }]);
    for (const order of [
      [old, young],
      [young, old],
    ])
      expect(latestRevisions(order).get("A")?.deployment).toBe(young);
  });

  it("is that of the younger deployment if the revisions are equal, in any order", () => {
    const one = deployment(1, [A]);
    const two = deployment(2, [A]);
    for (const order of [
      [one, two],
      [two, one],
    ])
      expect(latestRevisions(order).get("A")?.deployment).toBe(two);
  });
});

describe("an address", () => {
  it.each([
    ["http://Localhost:9080", "http://localhost:9080/"],
    ["HTTPS://a.example:443/x?y=1", "https://a.example/x?y=1"],
    ["http://[::1]:9080/p/", "http://[::1]:9080/p/"],
  ])("%s is stored as %s", (given, kept) => {
    expect(addressText(parseAddress(given)!)).toBe(kept);
  });

  it.each(["localhost:9080", "/x", "", "http://", "http://u:p@host/", "http://host/#f", "http://ho st/"])(
    "%j is invalid",
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );
});
