/** The entries of a journal: commands from the SDK and notifications from Stepwell, each with its exact wire bytes. */
import type { Result } from "../model/failure.ts";
import type { Header } from "../model/header.ts";
import type { StateChange } from "../model/state-change.ts";
import type { Target, TargetTypes } from "../model/target.ts";

/** The three ways in which a command names an invocation: by its id, by its idempotency key, or by its workflow. */
export type Lookup =
  | { readonly kind: "id"; readonly invocationId: string }
  | { readonly kind: "idempotency"; readonly target: Target; readonly idempotencyKey: string }
  | { readonly kind: "workflow"; readonly service: string; readonly key: string };

export type SignalName = { readonly index: number } | { readonly name: string };

export const CANCEL_SIGNAL = 1;

/** The child of a Call or OneWayCall, with key, input and headers exactly as the handler gave them. */
export interface ChildRequest {
  readonly target: Target;
  readonly input: Uint8Array;
  readonly headers: readonly Header[];
  readonly idempotencyKey?: string;
  /** The id of the completion that contains the child's invocation id. */
  readonly idCompletionId: number;
}

/**
 * What a command requests from the engine. A `plain` command is only stored: a read from the state that came with the
 * request, for example. A signal without a result is void, as CANCEL is.
 */
export type Command =
  | { readonly kind: "plain" }
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
  | { readonly kind: "change-state"; readonly change: StateChange }
  | { readonly kind: "get-promise"; readonly name: string; readonly completionId: number }
  | { readonly kind: "peek-promise"; readonly name: string; readonly completionId: number }
  | {
      readonly kind: "complete-promise";
      readonly name: string;
      readonly result: Result;
      readonly completionId: number;
    };

export interface CommandEntry {
  readonly kind: "command";
  /** The name of the protocol message: `Run`, `Sleep`, ... */
  readonly type: string;
  /** The name that the handler gave the command; empty if it gave none. */
  readonly name: string;
  readonly command: Command;
  /** The message's header and payload as received; they are replayed byte for byte (I9). */
  readonly frame: Uint8Array;
  /** When this server received the end of the message; absent in entries that a restart copied. */
  readonly receivedAtMs?: number;
}

export type NotificationId = { readonly completionId: number } | SignalName;

export interface NotificationEntry {
  readonly kind: "notification";
  readonly type: string;
  readonly id: NotificationId;
  readonly failed: boolean;
  /** Present on the completion that contains a child's invocation id. */
  readonly invocationId?: string;
  /**
   * The types of the child's target when its id was made. A redo accepts the child with these types, even if no deployment offers
   * the service any more.
   */
  readonly childTypes?: TargetTypes;
  readonly frame: Uint8Array;
  /** When this server received the result of a run, or learned of the completion or the signal; absent as in a command. */
  readonly receivedAtMs?: number;
}

export type Entry = CommandEntry | NotificationEntry;
