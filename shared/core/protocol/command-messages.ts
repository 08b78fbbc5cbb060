/** The commands of a journal by name, each with its type code and the table of its fields. */
import { bytes, message, moment, oneof, optional, repeated, string, submessage, uint32 } from "../model/proto3.ts";
import type { Infer, MessageType } from "../model/proto3.ts";
import { HeaderMessage, IdempotentTargetMessage, StateKeysMessage, WorkflowTargetMessage } from "./wire-values.ts";
import { oneofFailure, oneofValue, oneofVoid, value } from "./wire-values.ts";

/** The name that the user's code gave the command. Every command has this field. */
const name = string(12);
const resultCompletionId = uint32(11);
const headers = (number: number) => repeated(submessage(number, () => HeaderMessage));
const result = { value: oneofValue("result", 14), failure: oneofFailure("result", 15) };
const attachTarget = {
  invocationId: oneof("target", string(1)),
  idempotentRequest: oneof(
    "target",
    submessage(3, () => IdempotentTargetMessage),
  ),
  workflow: oneof(
    "target",
    submessage(4, () => WorkflowTargetMessage),
  ),
};

export const COMMANDS = {
  Input: { code: 0x0400, type: message({ headers: headers(1), value: value(14), name }) },
  Output: { code: 0x0401, type: message({ ...result, name }) },
  GetLazyState: { code: 0x0402, type: message({ key: bytes(1), resultCompletionId, name }) },
  SetState: { code: 0x0403, type: message({ key: bytes(1), value: value(3), name }) },
  ClearState: { code: 0x0404, type: message({ key: bytes(1), name }) },
  ClearAllState: { code: 0x0405, type: message({ name }) },
  GetLazyStateKeys: { code: 0x0406, type: message({ resultCompletionId, name }) },
  GetEagerState: {
    code: 0x0407,
    type: message({ key: bytes(1), void: oneofVoid("result", 13), value: oneofValue("result", 14), name }),
  },
  GetEagerStateKeys: { code: 0x0408, type: message({ value: submessage(14, () => StateKeysMessage), name }) },
  GetPromise: { code: 0x0409, type: message({ key: string(1), resultCompletionId, name }) },
  PeekPromise: { code: 0x040a, type: message({ key: string(1), resultCompletionId, name }) },
  CompletePromise: {
    code: 0x040b,
    type: message({
      key: string(1),
      completionValue: oneofValue("completion", 2),
      completionFailure: oneofFailure("completion", 3),
      resultCompletionId,
      name,
    }),
  },
  Sleep: { code: 0x040c, type: message({ wakeUpTimeMs: moment(1), resultCompletionId, name }) },
  Call: {
    code: 0x040d,
    type: message({
      serviceName: string(1),
      handlerName: string(2),
      parameter: bytes(3),
      headers: headers(4),
      key: string(5),
      idempotencyKey: optional(string(6)),
      /** `scope` and `limitKey`: V7. */
      scope: optional(string(7)),
      limitKey: optional(string(8)),
      invocationIdNotificationIdx: uint32(10),
      resultCompletionId,
      name,
    }),
  },
  OneWayCall: {
    code: 0x040e,
    type: message({
      serviceName: string(1),
      handlerName: string(2),
      parameter: bytes(3),
      /** Milliseconds since the epoch; 0 means now. */
      invokeTimeMs: moment(4),
      headers: headers(5),
      key: string(6),
      idempotencyKey: optional(string(7)),
      /** `scope` and `limitKey`: V7. */
      scope: optional(string(8)),
      limitKey: optional(string(9)),
      invocationIdNotificationIdx: uint32(10),
      name,
    }),
  },
  SendSignal: {
    code: 0x0410,
    type: message({
      targetInvocationId: string(1),
      signalIndex: oneof("signal", uint32(2)),
      signalName: oneof("signal", string(3)),
      void: oneofVoid("result", 4),
      value: oneofValue("result", 5),
      failure: oneofFailure("result", 6),
      name,
    }),
  },
  Run: { code: 0x0411, type: message({ resultCompletionId, name }) },
  AttachInvocation: { code: 0x0412, type: message({ ...attachTarget, resultCompletionId, name }) },
  GetInvocationOutput: { code: 0x0413, type: message({ ...attachTarget, resultCompletionId, name }) },
  CompleteAwakeable: {
    code: 0x0414,
    type: message({ awakeableId: string(1), value: oneofValue("result", 2), failure: oneofFailure("result", 3), name }),
  },
} as const;

export type CommandName = keyof typeof COMMANDS;
export type CommandMessage<N extends CommandName> = Infer<(typeof COMMANDS)[N]["type"]>;
/** Any command, discriminated by its name. */
export type Command = { [N in CommandName]: { readonly name: N; readonly message: CommandMessage<N> } }[CommandName];

const NAMES = new Map<number, CommandName>();
for (const [commandName, { code }] of Object.entries(COMMANDS)) NAMES.set(code, commandName as CommandName);

/** @returns undefined if no command has the code */
export function commandNameOf(code: number): CommandName | undefined {
  return NAMES.get(code);
}

export function commandType(commandName: CommandName): MessageType<unknown> {
  return COMMANDS[commandName].type;
}
