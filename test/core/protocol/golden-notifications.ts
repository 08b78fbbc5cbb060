/** Notifications as values and as bytes that are written by hand; each has the builder that must give these bytes. */
import * as build from "../../../shared/core/protocol/notifications.ts";
import type { Result } from "../../../shared/core/model/failure.ts";
import { CANCEL_SIGNAL } from "../../../shared/core/protocol/command-parts.ts";
import type { CompletedName } from "../../../shared/core/protocol/commands.ts";
import type { ProtocolVersion } from "../../../shared/core/protocol/version.ts";
import { ALL, BAD, BAD_WITH_METADATA, bad, badWithMetadata, type GoldenVector } from "./golden-vector.ts";
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
function resultVectors(command: CompletedName, code: string): NotificationVector[] {
  const name = `${command}Completion`;
  const built = (result: Result, version: ProtocolVersion) => build.completionFrame(command, 1, result, version);
  const header = `${code}0000000000`;
  return [
    {
      name,
      versions: ALL,
      hex: `${header}07 0801 2a030a0176`,
      value: { ...one, value },
      built: (v) => built(success, v),
    },
    {
      name,
      versions: ALL,
      hex: `${header}0c 0801 3208 ${BAD}`,
      value: { ...one, failure: bad },
      built: (v) => built(plainFailure, v),
    },
    {
      name,
      versions: [5],
      hex: `${header}0c 0801 3208 ${BAD}`,
      value: { ...one, failure: bad },
      built: (v) => built(failure, v),
    },
    {
      name,
      versions: [6, 7],
      hex: `${header}14 0801 3210 ${BAD_WITH_METADATA}`,
      value: { ...one, failure: badWithMetadata },
      built: (v) => built(failure, v),
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
  ...resultVectors("GetPromise", "8009"),
  ...resultVectors("PeekPromise", "800a"),
  voidVector("PeekPromiseCompletion", "800a", (version) => build.completionFrame("PeekPromise", 1, undefined, version)),
  voidVector("CompletePromiseCompletion", "800b", (version) =>
    build.completionFrame("CompletePromise", 1, undefined, version),
  ),
  {
    name: "CompletePromiseCompletion",
    versions: ALL,
    hex: `800b00000000000c 0801 3208 ${BAD}`,
    value: { ...one, failure: bad },
    built: (version) => build.completionFrame("CompletePromise", 1, plainFailure, version),
  },
  voidVector("SleepCompletion", "800c", () => build.sleepCompletion(1)),
  ...resultVectors("Call", "800d"),
  {
    name: "CallInvocationIdCompletion",
    versions: ALL,
    hex: "800e00000000000b 0801 820106 696e765f3178",
    value: { ...one, invocationId: "inv_1x" },
    built: () => build.callInvocationIdCompletion(1, "inv_1x"),
  },
  ...resultVectors("Run", "8011"),
  ...resultVectors("AttachInvocation", "8012"),
  ...resultVectors("GetInvocationOutput", "8013"),
  voidVector("GetInvocationOutputCompletion", "8013", (version) =>
    build.completionFrame("GetInvocationOutput", 1, undefined, version),
  ),
  {
    name: "Signal",
    versions: ALL,
    hex: "fbff000000000004 1001 2200",
    value: { signalIndex: 1, void: {} },
    built: (version) => build.signalNotification({ index: CANCEL_SIGNAL }, undefined, version),
  },
  {
    name: "Signal",
    versions: ALL,
    hex: "fbff000000000008 1a0167 2a030a0176",
    value: { signalName: "g", value },
    built: (version) => build.signalNotification({ name: "g" }, success, version),
  },
  {
    name: "Signal",
    versions: ALL,
    hex: `fbff00000000000c 1011 3208 ${BAD}`,
    value: { signalIndex: 17, failure: bad },
    built: (version) => build.signalNotification({ index: 17 }, plainFailure, version),
  },
];
