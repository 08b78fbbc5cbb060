/** Decodes commands, and checks that a well-formed command has the parts that its type needs. */
import { decode, type ElementBudget } from "../model/proto3-decode.ts";
import { commandNameOf, commandType } from "./command-messages.ts";
import type { Command } from "./command-messages.ts";
import { framesOf } from "./frame.ts";

/** @returns undefined if no command has the code. @throws Proto3Error if the payload is unreadable, or exceeds `budget` */
export function decodeCommand(code: number, payload: Uint8Array, budget?: ElementBudget): Command | undefined {
  const name = commandNameOf(code);
  // The name selects the table that decodes the payload, a relation that the compiler cannot see.
  return name === undefined ? undefined : ({ name, message: decode(commandType(name), payload, budget) } as Command);
}

/**
 * Decodes one stored command frame.
 * @returns undefined for a notification
 * @throws Proto3Error if the payload is unreadable, RangeError if `raw` ends within a frame
 */
export function commandOf(raw: Uint8Array): Command | undefined {
  const frame = framesOf(raw)[0];
  return frame === undefined ? undefined : decodeCommand(frame.type, frame.payload);
}

/** @returns a text such as `has no value`, to write after the name of the command; undefined if the command is complete */
export function lackOf({ name, message }: Command): string | undefined {
  switch (name) {
    case "Output":
      return message.value === undefined && message.failure === undefined ? "has no result" : undefined;
    case "SetState":
      return message.value === undefined ? "has no value" : undefined;
    case "GetEagerState":
      return message.value === undefined && message.void === undefined ? "has no result" : undefined;
    case "CompletePromise":
      return message.completionValue === undefined && message.completionFailure === undefined
        ? "has no completion"
        : undefined;
    case "CompleteAwakeable":
      return message.value === undefined && message.failure === undefined ? "has no result" : undefined;
    case "SendSignal":
      if (message.signalIndex === undefined && message.signalName === undefined) return "names no signal";
      return message.void === undefined && message.value === undefined && message.failure === undefined
        ? "has no result"
        : undefined;
    case "AttachInvocation":
    case "GetInvocationOutput":
      return message.invocationId === undefined &&
        message.idempotentRequest === undefined &&
        message.workflow === undefined
        ? "has no target"
        : undefined;
    default:
      return undefined;
  }
}
