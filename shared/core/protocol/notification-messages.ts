/** The notifications, which complete commands or deliver signals: their type codes by name, and the fields that they share. */
import { message, oneof, string, submessage, uint32 } from "../model/proto3.ts";
import { StateKeysMessage, oneofFailure, oneofValue, oneofVoid } from "./wire-values.ts";

/** All notifications share this shape. Each function of `notifications.ts` sets only the results that its kind may have. */
export const NotificationMessage = message({
  completionId: oneof("id", uint32(1)),
  signalIndex: oneof("id", uint32(2)),
  signalName: oneof("id", string(3)),
  void: oneofVoid("result", 4),
  value: oneofValue("result", 5),
  failure: oneofFailure("result", 6),
  invocationId: oneof("result", string(16)),
  stateKeys: oneof(
    "result",
    submessage(17, () => StateKeysMessage),
  ),
});

export const NOTIFICATIONS = {
  GetLazyStateCompletion: 0x8002,
  GetLazyStateKeysCompletion: 0x8006,
  GetPromiseCompletion: 0x8009,
  PeekPromiseCompletion: 0x800a,
  CompletePromiseCompletion: 0x800b,
  SleepCompletion: 0x800c,
  CallCompletion: 0x800d,
  CallInvocationIdCompletion: 0x800e,
  RunCompletion: 0x8011,
  AttachInvocationCompletion: 0x8012,
  GetInvocationOutputCompletion: 0x8013,
  Signal: 0xfbff,
} as const;

export type NotificationName = keyof typeof NOTIFICATIONS;
