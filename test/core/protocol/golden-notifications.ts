/** Notifications as values and as bytes that are written by hand; each has the builder that must give these bytes. */
import * as build from "../../../shared/core/protocol/notifications.ts";
import type { Result } from "../../../shared/core/model/failure.ts";
import type { ProtocolVersion } from "../../../shared/core/protocol/version.ts";
import { ALL, BAD, BAD_WITH_METADATA, bad, badWithMetadata } from "./golden-vector.ts";
import type { GoldenVector } from "./golden-vector.ts";
import { text } from "./hex.ts";

export interface NotificationVector extends GoldenVector {
  readonly built: (version: ProtocolVersion) => Uint8Array;
}

const success: Result = { kind: "success", value: text("v") };
const plain = { code: 500, message: "bad" };
const failure: Result = { kind: "failure", failure: { ...plain, metadata: badWithMetadata.metadata } };
const plainFailure: Result = { kind: "failure", failure: plain };
const value = { content: text("v") };
const one = { completionId: 1 };

/** The vectors of a kind of completion that may contain any result. */
function resultVectors(
  name: string,
  code: string,
  built: (id: number, result: Result, version: ProtocolVersion) => Uint8Array,
): NotificationVector[] {
  const header = `${code}0000000000`;
  return [
    {
      name,
      versions: ALL,
      hex: `${header}07 0801 2a030a0176`,
      value: { ...one, value },
      built: (v) => built(1, success, v),
    },
    {
      name,
      versions: ALL,
      hex: `${header}0c 0801 3208 ${BAD}`,
      value: { ...one, failure: bad },
      built: (v) => built(1, plainFailure, v),
    },
    {
      name,
      versions: [5],
      hex: `${header}0c 0801 3208 ${BAD}`,
      value: { ...one, failure: bad },
      built: (v) => built(1, failure, v),
    },
    {
      name,
      versions: [6, 7],
      hex: `${header}14 0801 3210 ${BAD_WITH_METADATA}`,
      value: { ...one, failure: badWithMetadata },
      built: (v) => built(1, failure, v),
    },
  ];
}

function voidVector(name: string, code: string, built: NotificationVector["built"]): NotificationVector {
  return { name, versions: ALL, hex: `${code}000000000004 0801 2200`, value: { ...one, void: {} }, built };
}

export const NOTIFICATION_VECTORS: readonly NotificationVector[] = [
  voidVector("GetLazyStateCompletion", "8002", () => build.lazyStateCompletion(1, undefined)),
  {
    name: "GetLazyStateCompletion",
    versions: ALL,
    hex: "8002000000000007 0801 2a030a0176",
    value: { ...one, value },
    built: () => build.lazyStateCompletion(1, text("v")),
  },
  {
    name: "GetLazyStateCompletion",
    versions: ALL,
    hex: "8002000000000004 0801 2a00",
    value: { ...one, value: { content: new Uint8Array(0) } },
    built: () => build.lazyStateCompletion(1, new Uint8Array(0)),
  },
  {
    name: "GetLazyStateKeysCompletion",
    versions: ALL,
    hex: "800600000000000b 0801 8a0106 0a016b 0a016c",
    value: { ...one, stateKeys: { keys: [text("k"), text("l")] } },
    built: () => build.lazyStateKeysCompletion(1, [text("k"), text("l")]),
  },
  {
    name: "GetLazyStateKeysCompletion",
    versions: ALL,
    hex: "8006000000000005 0801 8a0100",
    value: { ...one, stateKeys: { keys: [] } },
    built: () => build.lazyStateKeysCompletion(1, []),
  },
  ...resultVectors("GetPromiseCompletion", "8009", build.getPromiseCompletion),
  ...resultVectors("PeekPromiseCompletion", "800a", build.peekPromiseCompletion),
  voidVector("PeekPromiseCompletion", "800a", (version) => build.peekPromiseCompletion(1, undefined, version)),
  voidVector("CompletePromiseCompletion", "800b", (version) => build.completePromiseCompletion(1, undefined, version)),
  {
    name: "CompletePromiseCompletion",
    versions: ALL,
    hex: `800b00000000000c 0801 3208 ${BAD}`,
    value: { ...one, failure: bad },
    built: (version) => build.completePromiseCompletion(1, plain, version),
  },
  voidVector("SleepCompletion", "800c", () => build.sleepCompletion(1)),
  ...resultVectors("CallCompletion", "800d", build.callCompletion),
  {
    name: "CallInvocationIdCompletion",
    versions: ALL,
    hex: "800e00000000000b 0801 820106 696e765f3178",
    value: { ...one, invocationId: "inv_1x" },
    built: () => build.callInvocationIdCompletion(1, "inv_1x"),
  },
  ...resultVectors("RunCompletion", "8011", build.runCompletion),
  ...resultVectors("AttachInvocationCompletion", "8012", build.attachCompletion),
  ...resultVectors("GetInvocationOutputCompletion", "8013", build.outputCompletion),
  voidVector("GetInvocationOutputCompletion", "8013", (version) => build.outputCompletion(1, undefined, version)),
  {
    name: "Signal",
    versions: ALL,
    hex: "fbff000000000004 1001 2200",
    value: { signalIndex: 1, void: {} },
    built: (version) => build.signalNotification({ signalIndex: build.CANCEL_SIGNAL }, undefined, version),
  },
  {
    name: "Signal",
    versions: ALL,
    hex: "fbff000000000008 1a0167 2a030a0176",
    value: { signalName: "g", value },
    built: (version) => build.signalNotification({ signalName: "g" }, success, version),
  },
  {
    name: "Signal",
    versions: ALL,
    hex: `fbff00000000000c 1011 3208 ${BAD}`,
    value: { signalIndex: 17, failure: bad },
    built: (version) => build.signalNotification({ signalIndex: 17 }, plainFailure, version),
  },
];
