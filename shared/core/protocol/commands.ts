/** The catalogue of commands: how each is coded, what it asks for, what it needs, and how it is shown. A new command is a row here. */
import type { Result } from "../model/failure.ts";
import { decode, type ElementBudget } from "../model/proto3-decode.ts";
import {
  bytes,
  message,
  moment,
  oneof,
  optional,
  repeated,
  string,
  submessage,
  uint32,
  type Infer,
  type MessageType,
} from "../model/proto3.ts";
import type { StateChange } from "../model/state-change.ts";
import { type Target, targetText } from "../model/target.ts";
import {
  childOf,
  factsOfLookup,
  lookupJson,
  lookupOf,
  resultJson,
  resultOf,
  settled,
  signalJson,
  signalText,
  valueOf,
  type ChildRequest,
  type CommandFacts,
  type Lookup,
  type LookupMessage,
  type ResultMessage,
  type SignalName,
} from "./command-parts.ts";
import { framesOf } from "./frame.ts";
import {
  HeaderMessage,
  IdempotentTargetMessage,
  StateKeysMessage,
  WorkflowTargetMessage,
  oneofFailure,
  oneofValue,
  oneofVoid,
  value,
} from "./wire-values.ts";

/**
 * A command of a handler. Some are only stored, such as a read of the state that came with the request. A signal without a
 * result is void, as CANCEL is.
 */
export type Command =
  | { readonly kind: "input" }
  | { readonly kind: "output"; readonly result: Result }
  | { readonly kind: "run"; readonly completionId: number }
  | { readonly kind: "sleep"; readonly completionId: number; readonly wakeAtMs: number }
  | { readonly kind: "call"; readonly child: ChildRequest; readonly completionId: number }
  | { readonly kind: "send"; readonly child: ChildRequest; readonly startAtMs: number }
  | {
      readonly kind: "signal";
      readonly invocationId: string;
      readonly signal: SignalName;
      readonly result: Result | undefined;
    }
  | { readonly kind: "complete-awakeable"; readonly awakeableId: string; readonly result: Result | undefined }
  | { readonly kind: "attach"; readonly lookup: Lookup; readonly completionId: number }
  | { readonly kind: "get-output"; readonly lookup: Lookup; readonly completionId: number }
  | { readonly kind: "get-state"; readonly key: string; readonly completionId: number }
  | { readonly kind: "get-state-keys"; readonly completionId: number }
  | { readonly kind: "read-state"; readonly key: string; readonly value: Uint8Array | undefined }
  | { readonly kind: "read-state-keys"; readonly keys: readonly Uint8Array[] }
  | { readonly kind: "change-state"; readonly change: StateChange }
  | { readonly kind: "get-promise"; readonly name: string; readonly completionId: number }
  | { readonly kind: "peek-promise"; readonly name: string; readonly completionId: number }
  | {
      readonly kind: "complete-promise";
      readonly name: string;
      readonly result: Result;
      readonly completionId: number;
    };

/** The wait of a suspended handler that awaits the completion of a command. */
export type CommandWait =
  | { readonly kind: "call"; readonly target: Target; readonly childId: string | undefined }
  | { readonly kind: "attach"; readonly lookup: Lookup }
  | { readonly kind: "timer"; readonly untilMs: number }
  | { readonly kind: "promise"; readonly name: string };

/** The access to a key that a handler needs to send the command. */
type Needs = "nothing" | "state" | "state-to-change" | "promises";

interface Completion {
  /** The code of the notification. */
  readonly code: number;
  /** The result that the notification contains; undefined for void. */
  readonly contentOf: (result: Result | undefined) => Result | undefined;
}

/** One of the two forms of a command as JSON: with its payloads, or small, without them. */
export interface JsonForm {
  readonly result: (result: Result | undefined) => unknown;
  /** The members about the child of a call or a send. */
  readonly child: (child: ChildRequest) => object;
  /** The members of the input with which the invocation was accepted. */
  readonly input: () => object;
  /** Members that only the form with payloads has. */
  readonly payloads: (members: () => object) => object;
}

/** The members are methods, so that the row of one command is also a row of any command. */
interface CommandRow<M, C, K extends Completion | undefined, N extends Needs> {
  readonly code: number;
  readonly type: MessageType<M>;
  /** The notification with the result; undefined for a command that has none. */
  readonly completion: K;
  readonly needs: N;
  /** True if the small form of the JSON contains the name that the handler gave. */
  readonly showsName: boolean;
  /** @returns a text such as `has no value`, to write after the name of the command; undefined if the message is complete */
  lack(message: NoInfer<M>): string | undefined;
  meaning(message: NoInfer<M>): C;
  facts(command: NoInfer<C>, childId: string | undefined): CommandFacts;
  /** @returns undefined for a wait that only the type and the name of the command tell */
  wait(command: NoInfer<C>, childId: string | undefined): CommandWait | undefined;
  /** @returns the payload that the handler received, sent or stored with the command */
  value(command: NoInfer<C>, input: Uint8Array): Uint8Array | undefined;
  /** @returns the members without the name; undefined ones are left out */
  json(command: NoInfer<C>, form: JsonForm): object;
}

function row<M, C extends Command, K extends Completion | undefined, N extends Needs>(
  of: CommandRow<M, C, K, N>,
): CommandRow<M, C, K, N> {
  return of;
}

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

const decoder = new TextDecoder();
/** State keys are bytes in the protocol and text in every SDK. */
const text = (key: Uint8Array): string => decoder.decode(key);

const nothing = (): undefined => undefined;
const noFacts = (): CommandFacts => ({});
const complete = nothing;
const asGiven = (given: Result | undefined): Result | undefined => given;

type Of<K extends Command["kind"]> = Extract<Command, { readonly kind: K }>;

const changedKey = ({ change }: Of<"change-state">) => ("key" in change ? { key: change.key } : {});
const changedValue = ({ change }: Of<"change-state">) => ("value" in change ? change.value : undefined);
/** The columns of the three changes of state. */
const stateChange = {
  completion: undefined,
  needs: "state-to-change",
  showsName: false,
  facts: changedKey,
  wait: nothing,
  value: changedValue,
  json: (command: Of<"change-state">, { payloads }: JsonForm) => {
    const stored = changedValue(command);
    return { ...changedKey(command), ...(stored && payloads(() => ({ value: [...stored] }))) };
  },
} as const;

type AboutPromise = Of<"get-promise" | "peek-promise" | "complete-promise">;
const promiseKey = ({ name: key }: AboutPromise) => ({ key });
const promiseMembers = ({ name: key, completionId }: AboutPromise) => ({ key, completion_id: completionId });

type LooksUp = Of<"attach" | "get-output">;
const lookupMembers = ({ lookup, completionId }: LooksUp) => ({
  target: lookupJson(lookup),
  completion_id: completionId,
});
/** The columns of the two commands about the result of another invocation. */
const lookup = {
  type: message({ ...attachTarget, resultCompletionId, name }),
  needs: "nothing",
  showsName: false,
  lack: (of: LookupMessage) =>
    of.invocationId === undefined && of.idempotentRequest === undefined && of.workflow === undefined
      ? "has no target"
      : undefined,
  facts: ({ lookup: named }: LooksUp) => factsOfLookup(named),
  value: nothing,
  json: lookupMembers,
} as const;

type MakesChild = Of<"call" | "send">;
const childFacts = ({ child }: MakesChild, childId: string | undefined): CommandFacts => ({
  target: targetText(child.target),
  ...(childId !== undefined && { invocationId: childId }),
});
const childWait = ({ child }: MakesChild, childId: string | undefined): CommandWait => ({
  kind: "call",
  target: child.target,
  childId,
});

const withoutResult = ({ value: given, failure }: ResultMessage) =>
  given === undefined && failure === undefined ? "has no result" : undefined;

export const COMMANDS = {
  Input: row({
    code: 0x0400,
    type: message({ headers: headers(1), value: value(14), name }),
    completion: undefined,
    needs: "nothing",
    showsName: false,
    lack: complete,
    meaning: () => ({ kind: "input" }),
    facts: noFacts,
    wait: nothing,
    value: (_, input) => input,
    json: (_, { input }) => input(),
  }),
  Output: row({
    code: 0x0401,
    type: message({ ...result, name }),
    completion: undefined,
    needs: "nothing",
    showsName: false,
    lack: withoutResult,
    meaning: (of) => ({ kind: "output", result: settled(resultOf(of)) }),
    facts: noFacts,
    wait: nothing,
    value: (command) => valueOf(command.result),
    json: (command, form) => ({ result: form.result(command.result) }),
  }),
  GetLazyState: row({
    code: 0x0402,
    type: message({ key: bytes(1), resultCompletionId, name }),
    completion: { code: 0x8002, contentOf: asGiven },
    needs: "state",
    showsName: false,
    lack: complete,
    meaning: (of) => ({ kind: "get-state", key: text(of.key), completionId: of.resultCompletionId }),
    facts: ({ key }) => ({ key }),
    wait: nothing,
    value: nothing,
    json: ({ key, completionId }) => ({ key, completion_id: completionId }),
  }),
  SetState: row({
    ...stateChange,
    code: 0x0403,
    type: message({ key: bytes(1), value: value(3), name }),
    lack: (of) => (of.value === undefined ? "has no value" : undefined),
    meaning: (of) => {
      const change = { kind: "set", key: text(of.key), value: of.value?.content ?? new Uint8Array(0) } as const;
      return { kind: "change-state", change };
    },
  }),
  ClearState: row({
    ...stateChange,
    code: 0x0404,
    type: message({ key: bytes(1), name }),
    lack: complete,
    meaning: (of) => ({ kind: "change-state", change: { kind: "clear", key: text(of.key) } }),
  }),
  ClearAllState: row({
    ...stateChange,
    code: 0x0405,
    type: message({ name }),
    lack: complete,
    meaning: () => ({ kind: "change-state", change: { kind: "clear-all" } }),
  }),
  GetLazyStateKeys: row({
    code: 0x0406,
    type: message({ resultCompletionId, name }),
    completion: { code: 0x8006, contentOf: asGiven },
    needs: "state",
    showsName: false,
    lack: complete,
    meaning: (of) => ({ kind: "get-state-keys", completionId: of.resultCompletionId }),
    facts: noFacts,
    wait: nothing,
    value: nothing,
    json: ({ completionId }) => ({ completion_id: completionId }),
  }),
  GetEagerState: row({
    code: 0x0407,
    type: message({ key: bytes(1), void: oneofVoid("result", 13), value: oneofValue("result", 14), name }),
    completion: undefined,
    needs: "state",
    showsName: false,
    lack: (of) => (of.value === undefined && of.void === undefined ? "has no result" : undefined),
    meaning: (of) => ({ kind: "read-state", key: text(of.key), value: of.value?.content }),
    facts: ({ key }) => ({ key }),
    wait: nothing,
    value: (command) => command.value,
    json: (command, { payloads }) => ({
      key: command.key,
      ...payloads(() => ({ result: resultJson(command.value && { kind: "success", value: command.value }) })),
    }),
  }),
  GetEagerStateKeys: row({
    code: 0x0408,
    type: message({ value: submessage(14, () => StateKeysMessage), name }),
    completion: undefined,
    needs: "state",
    showsName: false,
    lack: complete,
    meaning: (of) => ({ kind: "read-state-keys", keys: of.value?.keys ?? [] }),
    facts: noFacts,
    wait: nothing,
    value: nothing,
    json: ({ keys }, { payloads }) => payloads(() => ({ state_keys: keys.map(text) })),
  }),
  GetPromise: row({
    code: 0x0409,
    type: message({ key: string(1), resultCompletionId, name }),
    completion: { code: 0x8009, contentOf: settled },
    needs: "promises",
    showsName: false,
    lack: complete,
    meaning: (of) => ({ kind: "get-promise", name: of.key, completionId: of.resultCompletionId }),
    facts: promiseKey,
    wait: (command) => ({ kind: "promise", name: command.name }),
    value: nothing,
    json: promiseMembers,
  }),
  PeekPromise: row({
    code: 0x040a,
    type: message({ key: string(1), resultCompletionId, name }),
    completion: { code: 0x800a, contentOf: asGiven },
    needs: "promises",
    showsName: false,
    lack: complete,
    meaning: (of) => ({ kind: "peek-promise", name: of.key, completionId: of.resultCompletionId }),
    facts: promiseKey,
    wait: nothing,
    value: nothing,
    json: promiseMembers,
  }),
  CompletePromise: row({
    code: 0x040b,
    type: message({
      key: string(1),
      completionValue: oneofValue("completion", 2),
      completionFailure: oneofFailure("completion", 3),
      resultCompletionId,
      name,
    }),
    // The failure says that this command did not complete the promise.
    completion: { code: 0x800b, contentOf: (given) => (given?.kind === "failure" ? given : undefined) },
    needs: "promises",
    showsName: false,
    lack: (of) =>
      of.completionValue === undefined && of.completionFailure === undefined ? "has no completion" : undefined,
    meaning: ({ key, completionValue, completionFailure, resultCompletionId: completionId }) => ({
      kind: "complete-promise",
      name: key,
      result: settled(resultOf({ value: completionValue, failure: completionFailure })),
      completionId,
    }),
    facts: promiseKey,
    wait: nothing,
    value: (command) => valueOf(command.result),
    json: (command, { payloads }) => ({
      key: command.name,
      ...payloads(() => ({ value: resultJson(command.result) })),
      completion_id: command.completionId,
    }),
  }),
  Sleep: row({
    code: 0x040c,
    type: message({ wakeUpTimeMs: moment(1), resultCompletionId, name }),
    completion: { code: 0x800c, contentOf: nothing },
    needs: "nothing",
    showsName: true,
    lack: complete,
    meaning: (of) => ({ kind: "sleep", completionId: of.resultCompletionId, wakeAtMs: of.wakeUpTimeMs }),
    facts: ({ wakeAtMs }) => ({ wakeAtMs }),
    wait: ({ wakeAtMs }) => ({ kind: "timer", untilMs: wakeAtMs }),
    value: nothing,
    json: ({ wakeAtMs, completionId }) => ({ wake_up_time: wakeAtMs, completion_id: completionId }),
  }),
  Call: row({
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
    completion: { code: 0x800d, contentOf: settled },
    needs: "nothing",
    showsName: true,
    lack: complete,
    meaning: (of) => ({ kind: "call", child: childOf(of), completionId: of.resultCompletionId }),
    facts: childFacts,
    wait: childWait,
    value: ({ child }) => child.input,
    json: ({ child, completionId }, form) => ({
      ...form.child(child),
      invocation_id_completion_id: child.idCompletionId,
      result_completion_id: completionId,
    }),
  }),
  OneWayCall: row({
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
    completion: undefined,
    needs: "nothing",
    showsName: true,
    lack: complete,
    meaning: (of) => ({ kind: "send", child: childOf(of), startAtMs: of.invokeTimeMs }),
    facts: childFacts,
    wait: childWait,
    value: ({ child }) => child.input,
    json: ({ child, startAtMs }, form) => ({
      ...form.child(child),
      invoke_time: startAtMs,
      invocation_id_completion_id: child.idCompletionId,
    }),
  }),
  SendSignal: row({
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
    completion: undefined,
    needs: "nothing",
    showsName: false,
    lack: (of) => {
      if (of.signalIndex === undefined && of.signalName === undefined) return "names no signal";
      return of.void === undefined ? withoutResult(of) : undefined;
    },
    meaning: (of) => ({
      kind: "signal",
      invocationId: of.targetInvocationId,
      signal: of.signalName === undefined ? { index: of.signalIndex ?? 0 } : { name: of.signalName },
      result: resultOf(of),
    }),
    facts: ({ signal, invocationId }) => ({ signal: signalText(signal), invocationId }),
    wait: nothing,
    value: (command) => valueOf(command.result),
    json: (command, form) => ({
      target_invocation_id: command.invocationId,
      signal_id: signalJson(command.signal),
      result: form.result(command.result),
    }),
  }),
  Run: row({
    code: 0x0411,
    type: message({ resultCompletionId, name }),
    completion: { code: 0x8011, contentOf: settled },
    needs: "nothing",
    showsName: true,
    lack: complete,
    meaning: (of) => ({ kind: "run", completionId: of.resultCompletionId }),
    facts: noFacts,
    wait: nothing,
    value: nothing,
    json: ({ completionId }) => ({ completion_id: completionId }),
  }),
  AttachInvocation: row({
    ...lookup,
    code: 0x0412,
    completion: { code: 0x8012, contentOf: settled },
    meaning: (of) => ({ kind: "attach", lookup: lookupOf(of), completionId: of.resultCompletionId }),
    wait: (command) => ({ kind: "attach", lookup: command.lookup }),
  }),
  GetInvocationOutput: row({
    ...lookup,
    code: 0x0413,
    completion: { code: 0x8013, contentOf: asGiven },
    meaning: (of) => ({ kind: "get-output", lookup: lookupOf(of), completionId: of.resultCompletionId }),
    wait: nothing,
  }),
  CompleteAwakeable: row({
    code: 0x0414,
    type: message({
      awakeableId: string(1),
      value: oneofValue("result", 2),
      failure: oneofFailure("result", 3),
      name,
    }),
    completion: undefined,
    needs: "nothing",
    showsName: false,
    lack: withoutResult,
    meaning: (of) => ({ kind: "complete-awakeable", awakeableId: of.awakeableId, result: resultOf(of) }),
    facts: ({ awakeableId }) => ({ signal: awakeableId }),
    wait: nothing,
    value: (command) => valueOf(command.result),
    json: (command, form) => ({ id: command.awakeableId, result: form.result(command.result) }),
  }),
} as const;

export type CommandName = keyof typeof COMMANDS;
export type CommandMessage<N extends CommandName> = Infer<(typeof COMMANDS)[N]["type"]>;
/** The message of any command, discriminated by its name. */
export type NamedMessage = {
  [N in CommandName]: { readonly name: N; readonly message: CommandMessage<N> };
}[CommandName];
/** The commands with a notification of their result. */
export type CompletedName = {
  [N in CommandName]: (typeof COMMANDS)[N]["completion"] extends Completion ? N : never;
}[CommandName];

/** The commands about the key of their invocation. */
export type KeyedCommand = {
  [N in CommandName]: (typeof COMMANDS)[N]["needs"] extends "nothing"
    ? never
    : ReturnType<(typeof COMMANDS)[N]["meaning"]>;
}[CommandName];

const NAMES = new Map<number, CommandName>();
for (const [commandName, { code }] of Object.entries(COMMANDS)) NAMES.set(code, commandName as CommandName);

/** @returns undefined if no command has the code */
export function commandNameOf(code: number): CommandName | undefined {
  return NAMES.get(code);
}

/** The row of a command by its name. Its functions take the message, or the command that `meaning` made of it. */
export function commandRow(commandName: CommandName): CommandRow<unknown, Command, Completion | undefined, Needs> {
  return COMMANDS[commandName];
}

export function isCompleted(commandName: CommandName): commandName is CompletedName {
  return COMMANDS[commandName].completion !== undefined;
}

/** True for a command about the key of its invocation, which it reads or changes. */
export function isKeyed<E extends { readonly type: CommandName; readonly command: Command }>(
  entry: E,
): entry is E & { readonly command: KeyedCommand } {
  return COMMANDS[entry.type].needs !== "nothing";
}

/** @returns undefined if no command has the code. @throws Proto3Error if the payload is unreadable, or exceeds `budget` */
export function decodeCommand(code: number, payload: Uint8Array, budget?: ElementBudget): NamedMessage | undefined {
  const found = commandNameOf(code);
  // The name selects the table that decodes the payload, a relation that the compiler cannot see.
  return found && ({ name: found, message: decode(commandRow(found).type, payload, budget) } as NamedMessage);
}

/**
 * Decodes one stored command frame.
 * @returns undefined for a notification
 * @throws Proto3Error if the payload is unreadable, RangeError if `raw` ends within a frame
 */
export function commandOf(raw: Uint8Array): NamedMessage | undefined {
  const frame = framesOf(raw)[0];
  return frame && decodeCommand(frame.type, frame.payload);
}
